import { defineMessages } from '../../i18n/define-messages.ts';

export const signInMessages = defineMessages(
  {
    title: (brand: string) => `Sign in to ${brand}`,
    intro: 'Use an API key. A key of one team sees that team only.',
    email: 'E-mail address',
    password: 'Password',
    wrongPassword: 'This address and password do not belong together.',
    forgotten: 'Forgot your password? Ask an owner to invite you again.',
    mailCode: 'E-mail me a code',
    codeSent: (email: string) =>
      `If somebody here has the address ${email}, a mail with a code of 8 digits is on its way. It works for 10 minutes.`,
    code: 'Code',
    wrongCode: 'This code is wrong or has ended. Ask for a new one.',
    otherMeans: 'Sign in another way',
    recover: 'Forgot your password?',
    recoverySent: (email: string) =>
      `If somebody here has the address ${email}, a mail with a link for a new password is on its way.`,
    oidc: 'Sign in with your organization',
    tabBlocked: 'The browser did not open a tab. Allow pop-ups for this page and try again.',
    useKey: 'Use an API key',
    usePassword: 'Use an e-mail address',
    setUpHint: (file: string) =>
      `Nobody has an account yet. Open the link that the first start printed and wrote to ${file}.`,
    keyId: 'Key id',
    keySecret: 'Key secret',
    submit: 'Sign in',
    again: 'Sign in again',
    againHint: 'Your session has ended. Nothing that you typed is lost.',
    signOut: 'Leave this page',
    wrongKey: 'This key id and secret do not match an active key.',
    firstKey: 'Where is my first key?',
    firstKeyHint: (file: string) =>
      `The first start of the service wrote it to ${file}. You can paste the whole file into a field.`,
    privacy:
      'The secret is sent once and never stored. You stay signed in until you close this tab, at most 24 hours.',
  },
  {
    es: {
      title: (brand) => `Iniciar sesión en ${brand}`,
      intro: 'Use una clave de API. La clave de un equipo solo ve ese equipo.',
      email: 'Correo electrónico',
      password: 'Contraseña',
      wrongPassword: 'La dirección y la contraseña no corresponden.',
      forgotten: '¿Olvidó su contraseña? Pida a un propietario que le invite de nuevo.',
      mailCode: 'Enviarme un código por correo',
      codeSent: (email) =>
        `Si alguien tiene aquí la dirección ${email}, recibirá un correo con un código de 8 cifras. Sirve durante 10 minutos.`,
      code: 'Código',
      wrongCode: 'Este código es incorrecto o ya no sirve. Pida otro.',
      otherMeans: 'Iniciar sesión de otra forma',
      recover: '¿Olvidó su contraseña?',
      recoverySent: (email) =>
        `Si alguien tiene aquí la dirección ${email}, recibirá un correo con un enlace para una nueva contraseña.`,
      oidc: 'Iniciar sesión con su organización',
      tabBlocked: 'El navegador no abrió una pestaña. Permita las ventanas emergentes e inténtelo de nuevo.',
      useKey: 'Usar una clave de API',
      usePassword: 'Usar un correo electrónico',
      setUpHint: (file) =>
        `Aún nadie tiene cuenta. Abra el enlace que el primer arranque mostró y guardó en ${file}.`,
      keyId: 'Id de la clave',
      keySecret: 'Secreto de la clave',
      submit: 'Iniciar sesión',
      again: 'Inicie sesión de nuevo',
      againHint: 'Su sesión ha terminado. No se pierde nada de lo que ha escrito.',
      signOut: 'Salir de esta página',
      wrongKey: 'El id y el secreto no corresponden a una clave activa.',
      firstKey: '¿Dónde está mi primera clave?',
      firstKeyHint: (file) =>
        `El primer arranque del servicio la guardó en ${file}. Puede pegar el archivo completo en un campo.`,
      privacy:
        'El secreto se envía una vez y nunca se guarda. La sesión dura hasta que cierre esta pestaña, como máximo 24 horas.',
    },
    pt: {
      title: (brand) => `Entrar em ${brand}`,
      intro: 'Use uma chave de API. A chave de uma equipe vê apenas essa equipe.',
      email: 'Endereço de e-mail',
      password: 'Senha',
      wrongPassword: 'O endereço e a senha não correspondem.',
      forgotten: 'Esqueceu a senha? Peça a um proprietário que convide você de novo.',
      mailCode: 'Enviar um código por e-mail',
      codeSent: (email) =>
        `Se alguém tem aqui o endereço ${email}, um e-mail com um código de 8 dígitos está a caminho. Ele vale por 10 minutos.`,
      code: 'Código',
      wrongCode: 'Este código está errado ou não vale mais. Peça outro.',
      otherMeans: 'Entrar de outra forma',
      recover: 'Esqueceu a senha?',
      recoverySent: (email) =>
        `Se alguém tem aqui o endereço ${email}, um e-mail com um link para uma nova senha está a caminho.`,
      oidc: 'Entrar com a sua organização',
      tabBlocked: 'O navegador não abriu uma aba. Permita pop-ups nesta página e tente de novo.',
      useKey: 'Entrar com uma chave de API',
      usePassword: 'Entrar com um e-mail',
      setUpHint: (file) =>
        `Ninguém tem conta ainda. Abra o link que a primeira inicialização mostrou e gravou em ${file}.`,
      keyId: 'Id da chave',
      keySecret: 'Segredo da chave',
      submit: 'Entrar',
      again: 'Entre novamente',
      againHint: 'Sua sessão terminou. Nada do que você digitou se perde.',
      signOut: 'Sair desta página',
      wrongKey: 'O id e o segredo não correspondem a uma chave ativa.',
      firstKey: 'Onde está minha primeira chave?',
      firstKeyHint: (file) =>
        `A primeira inicialização do serviço a gravou em ${file}. Você pode colar o arquivo inteiro em um campo.`,
      privacy:
        'O segredo é enviado uma vez e nunca é guardado. A sessão dura até você fechar esta aba, no máximo 24 horas.',
    },
    de: {
      title: (brand) => `Bei ${brand} anmelden`,
      intro: 'Verwenden Sie einen API-Schlüssel. Der Schlüssel eines Teams sieht nur dieses Team.',
      email: 'E-Mail-Adresse',
      password: 'Passwort',
      wrongPassword: 'Adresse und Passwort gehören nicht zusammen.',
      forgotten: 'Passwort vergessen? Bitten Sie einen Inhaber, Sie neu einzuladen.',
      mailCode: 'Code per E-Mail senden',
      codeSent: (email) =>
        `Wenn hier jemand die Adresse ${email} hat, ist eine Mail mit einem Code aus 8 Ziffern unterwegs. Er gilt 10 Minuten.`,
      code: 'Code',
      wrongCode: 'Dieser Code ist falsch oder gilt nicht mehr. Fordern Sie einen neuen an.',
      otherMeans: 'Anders anmelden',
      recover: 'Passwort vergessen?',
      recoverySent: (email) =>
        `Wenn hier jemand die Adresse ${email} hat, ist eine Mail mit einem Link für ein neues Passwort unterwegs.`,
      oidc: 'Mit Ihrer Organisation anmelden',
      tabBlocked:
        'Der Browser hat keinen Tab geöffnet. Erlauben Sie Pop-ups für diese Seite und versuchen Sie es erneut.',
      useKey: 'Mit einem API-Schlüssel anmelden',
      usePassword: 'Mit einer E-Mail-Adresse anmelden',
      setUpHint: (file) =>
        `Noch hat niemand ein Konto. Öffnen Sie den Link, den der erste Start ausgegeben und in ${file} abgelegt hat.`,
      keyId: 'Schlüssel-ID',
      keySecret: 'Geheimnis des Schlüssels',
      submit: 'Anmelden',
      again: 'Melden Sie sich erneut an',
      againHint: 'Ihre Sitzung ist beendet. Nichts, was Sie eingegeben haben, geht verloren.',
      signOut: 'Diese Seite verlassen',
      wrongKey: 'ID und Geheimnis gehören zu keinem aktiven Schlüssel.',
      firstKey: 'Wo ist mein erster Schlüssel?',
      firstKeyHint: (file) =>
        `Der erste Start des Dienstes hat ihn in ${file} abgelegt. Sie können die ganze Datei in ein Feld einfügen.`,
      privacy:
        'Das Geheimnis wird einmal gesendet und nie gespeichert. Sie bleiben angemeldet, bis Sie diesen Tab schließen, höchstens 24 Stunden.',
    },
  },
);
