import { defineMessages } from '../../i18n/define-messages.ts';

export const oidcMessages = defineMessages(
  {
    entering: 'You are being signed in',
    signedIn: 'You are signed in',
    goBack: 'Close this tab and go on where you were.',
    notSignedIn: 'You are not signed in',
    refused: 'Your organization did not confirm the sign-in.',
    ended:
      'This sign-in has ended, or it began in another browser. It works once, for 10 minutes. Try again.',
    notInvited: 'This account has no invitation here. Ask an owner to invite its e-mail address.',
    away: 'Your organization did not respond. Wait a moment, then try again.',
    back: 'Back to the sign-in',
  },
  {
    es: {
      entering: 'Iniciando su sesión',
      signedIn: 'Ha iniciado sesión',
      goBack: 'Cierre esta pestaña y siga donde estaba.',
      notSignedIn: 'No ha iniciado sesión',
      refused: 'Su organización no confirmó el inicio de sesión.',
      ended:
        'Este inicio de sesión terminó o empezó en otro navegador. Sirve una vez, durante 10 minutos. Inténtelo de nuevo.',
      notInvited:
        'Esta cuenta no tiene invitación aquí. Pida a un propietario que invite a su dirección de correo.',
      away: 'Su organización no respondió. Espere un momento e inténtelo de nuevo.',
      back: 'Volver al inicio de sesión',
    },
    pt: {
      entering: 'Entrando na sua conta',
      signedIn: 'Você entrou',
      goBack: 'Feche esta aba e continue onde estava.',
      notSignedIn: 'Você não entrou',
      refused: 'Sua organização não confirmou a entrada.',
      ended:
        'Esta entrada terminou ou começou em outro navegador. Ela vale uma vez, por 10 minutos. Tente de novo.',
      notInvited:
        'Esta conta não tem convite aqui. Peça a um proprietário que convide o endereço de e-mail dela.',
      away: 'Sua organização não respondeu. Espere um momento e tente de novo.',
      back: 'Voltar à entrada',
    },
    de: {
      entering: 'Sie werden angemeldet',
      signedIn: 'Sie sind angemeldet',
      goBack: 'Schließen Sie diesen Tab und machen Sie dort weiter, wo Sie waren.',
      notSignedIn: 'Sie sind nicht angemeldet',
      refused: 'Ihre Organisation hat die Anmeldung nicht bestätigt.',
      ended:
        'Diese Anmeldung ist beendet, oder sie begann in einem anderen Browser. Sie gilt einmal, 10 Minuten lang. Versuchen Sie es erneut.',
      notInvited:
        'Dieses Konto ist hier nicht eingeladen. Bitten Sie einen Inhaber, dessen E-Mail-Adresse einzuladen.',
      away: 'Ihre Organisation hat nicht geantwortet. Warten Sie einen Moment und versuchen Sie es erneut.',
      back: 'Zurück zur Anmeldung',
    },
  },
);
