import { defineMessages } from '../../i18n/define-messages.ts';

/** Devices that connect with credentials instead of a scan. */
export const accountMessages = defineMessages(
  {
    none: 'The device has no credentials',
    enterHint:
      'Create a link to the form for the credentials. Open it yourself, or send it to the person who has the account.',
    storedHint: 'The credentials are stored. Connect the device again at any time.',
    connectedHint: 'The bot answers the people who write to this account.',
    linkTitle: 'Link for the person with the account',
    linkHint:
      'Its page takes the credentials without a login. Send it only to that person. It replaces earlier links of this device.',
    linkExpires: (time: string) => `Valid until ${time}, for one account.`,
    stopEffects: {
      silent: 'The bot stops answering at this account, and active messages are refused.',
      stored: 'The credentials stay stored: connect the device again at any time.',
      kept: 'The network keeps messages that arrive meanwhile and delivers them later.',
    },
    forget: 'Delete the credentials',
    forgetTitle: (name: string) => `Delete the credentials of ${name}?`,
    forgetEffects: {
      silent: 'The device stops, and the bot no longer answers at this account.',
      again: 'To use the account again, someone must enter its credentials again.',
      kept: 'Conversations and messages stay here.',
    },
    forgotten: 'The credentials are deleted',
  },
  {
    es: {
      none: 'El dispositivo no tiene credenciales',
      enterHint:
        'Cree un enlace al formulario de las credenciales. Ábralo usted o envíelo a quien tiene la cuenta.',
      storedHint: 'Las credenciales están guardadas. Conecte el dispositivo de nuevo cuando quiera.',
      connectedHint: 'El bot responde a quienes escriben a esta cuenta.',
      linkTitle: 'Enlace para quien tiene la cuenta',
      linkHint:
        'Su página recibe las credenciales sin iniciar sesión. Envíelo solo a esa persona. Sustituye los enlaces anteriores de este dispositivo.',
      linkExpires: (time) => `Válido hasta el ${time}, para una cuenta.`,
      stopEffects: {
        silent: 'El bot deja de responder en esta cuenta y los mensajes activos se rechazan.',
        stored: 'Las credenciales siguen guardadas: conecte el dispositivo de nuevo cuando quiera.',
        kept: 'La red guarda los mensajes que lleguen mientras tanto y los entrega después.',
      },
      forget: 'Eliminar las credenciales',
      forgetTitle: (name) => `¿Eliminar las credenciales de ${name}?`,
      forgetEffects: {
        silent: 'El dispositivo se detiene y el bot ya no responde en esta cuenta.',
        again: 'Para usar la cuenta de nuevo hay que volver a introducir sus credenciales.',
        kept: 'Las conversaciones y los mensajes permanecen aquí.',
      },
      forgotten: 'Las credenciales están eliminadas',
    },
    pt: {
      none: 'O dispositivo não tem credenciais',
      enterHint:
        'Crie um link para o formulário das credenciais. Abra-o você mesmo ou envie-o a quem tem a conta.',
      storedHint: 'As credenciais estão guardadas. Conecte o dispositivo de novo quando quiser.',
      connectedHint: 'O bot responde a quem escreve para esta conta.',
      linkTitle: 'Link para quem tem a conta',
      linkHint:
        'A página recebe as credenciais sem login. Envie-o apenas a essa pessoa. Ele substitui os links anteriores deste dispositivo.',
      linkExpires: (time) => `Válido até ${time}, para uma conta.`,
      stopEffects: {
        silent: 'O bot deixa de responder nesta conta, e as mensagens ativas são recusadas.',
        stored: 'As credenciais continuam guardadas: conecte o dispositivo de novo quando quiser.',
        kept: 'A rede guarda as mensagens que chegarem nesse tempo e as entrega depois.',
      },
      forget: 'Excluir as credenciais',
      forgetTitle: (name) => `Excluir as credenciais de ${name}?`,
      forgetEffects: {
        silent: 'O dispositivo para, e o bot não responde mais nesta conta.',
        again: 'Para usar a conta de novo, alguém precisa informar as credenciais outra vez.',
        kept: 'As conversas e as mensagens continuam aqui.',
      },
      forgotten: 'As credenciais foram excluídas',
    },
    de: {
      none: 'Das Gerät hat keine Zugangsdaten',
      enterHint:
        'Erstellen Sie einen Link zum Formular für die Zugangsdaten. Öffnen Sie ihn selbst, oder senden Sie ihn der Person mit dem Konto.',
      storedHint: 'Die Zugangsdaten sind gespeichert. Verbinden Sie das Gerät jederzeit wieder.',
      connectedHint: 'Der Bot antwortet allen, die an dieses Konto schreiben.',
      linkTitle: 'Link für die Person mit dem Konto',
      linkHint:
        'Die Seite nimmt die Zugangsdaten ohne Anmeldung. Senden Sie ihn nur dieser Person. Er ersetzt frühere Links dieses Geräts.',
      linkExpires: (time) => `Gültig bis ${time}, für ein Konto.`,
      stopEffects: {
        silent: 'Der Bot antwortet nicht mehr an diesem Konto, und aktive Nachrichten werden abgelehnt.',
        stored: 'Die Zugangsdaten bleiben gespeichert: Verbinden Sie das Gerät jederzeit wieder.',
        kept: 'Das Netz behält Nachrichten, die inzwischen eintreffen, und stellt sie später zu.',
      },
      forget: 'Zugangsdaten löschen',
      forgetTitle: (name) => `Zugangsdaten von ${name} löschen?`,
      forgetEffects: {
        silent: 'Das Gerät stoppt, und der Bot antwortet nicht mehr an diesem Konto.',
        again: 'Um das Konto wieder zu nutzen, muss jemand die Zugangsdaten neu eingeben.',
        kept: 'Unterhaltungen und Nachrichten bleiben hier.',
      },
      forgotten: 'Die Zugangsdaten sind gelöscht',
    },
  },
);
