import { defineMessages } from '../../i18n/define-messages.ts';

export const deviceActionsMessages = defineMessages(
  {
    stop: 'Stop',
    stopTitle: (name: string) => `Stop ${name}?`,
    stopEffects: {
      silent: 'The bot stops answering at this number, and active messages are refused.',
      linked: 'The phone stays linked: connect the device again without a scan.',
      kept: 'The network keeps messages that arrive meanwhile and delivers them later.',
    },
    stopWebsiteEffects: {
      waiting: 'The bot stops answering on the website. Messages of visitors wait until you connect again.',
    },
    stopUnlinkedEffects: { code: 'The QR code becomes invalid. Connect the device again for a new one.' },
    stopped: 'The device is stopped',
    unlink: 'Unlink the phone',
    unlinkTitle: (phone: string) => `Unlink ${phone}?`,
    unlinkEffects: {
      silent: 'The device stops, and the bot no longer answers at this number.',
      phone:
        'It disappears from the linked devices of the phone. To use it again, someone must scan a new QR code.',
      kept: 'Conversations and messages stay here.',
    },
    unlinked: 'The phone is unlinked',
    delete: 'Delete',
    deleteTitle: (name: string) => `Delete ${name}?`,
    deleteEffects: {
      gone: 'The device and its phone link are deleted for good.',
      waiting: 'Messages that wait to be sent through it are not sent.',
      bot: 'Its bot and the other devices of the team stay.',
    },
    deleted: (name: string) => `${name} is deleted`,
  },
  {
    es: {
      stop: 'Detener',
      stopTitle: (name) => `¿Detener ${name}?`,
      stopEffects: {
        silent: 'El bot deja de responder en este número y se rechazan los mensajes activos.',
        linked: 'El teléfono sigue vinculado: puede conectar de nuevo sin escanear.',
        kept: 'La red guarda los mensajes que lleguen mientras tanto y los entrega después.',
      },
      stopWebsiteEffects: {
        waiting:
          'El bot deja de responder en el sitio web. Los mensajes de los visitantes esperan hasta que conecte de nuevo.',
      },
      stopUnlinkedEffects: { code: 'El código QR deja de ser válido. Conecte de nuevo para obtener otro.' },
      stopped: 'El dispositivo está detenido',
      unlink: 'Desvincular el teléfono',
      unlinkTitle: (phone) => `¿Desvincular ${phone}?`,
      unlinkEffects: {
        silent: 'El dispositivo se detiene y el bot ya no responde en este número.',
        phone:
          'Desaparece de los dispositivos vinculados del teléfono. Para usarlo de nuevo hay que escanear otro código QR.',
        kept: 'Las conversaciones y los mensajes permanecen aquí.',
      },
      unlinked: 'El teléfono está desvinculado',
      delete: 'Eliminar',
      deleteTitle: (name) => `¿Eliminar ${name}?`,
      deleteEffects: {
        gone: 'El dispositivo y su vínculo con el teléfono se eliminan definitivamente.',
        waiting: 'Los mensajes pendientes de envío por él no se envían.',
        bot: 'Su bot y los demás dispositivos del equipo permanecen.',
      },
      deleted: (name) => `${name} fue eliminado`,
    },
    pt: {
      stop: 'Parar',
      stopTitle: (name) => `Parar ${name}?`,
      stopEffects: {
        silent: 'O bot deixa de responder neste número, e mensagens ativas são recusadas.',
        linked: 'O telefone continua vinculado: conecte de novo sem ler um código.',
        kept: 'A rede guarda as mensagens que chegarem nesse tempo e as entrega depois.',
      },
      stopWebsiteEffects: {
        waiting:
          'O bot deixa de responder no site. As mensagens dos visitantes esperam até você conectar de novo.',
      },
      stopUnlinkedEffects: { code: 'O código QR deixa de valer. Conecte de novo para obter outro.' },
      stopped: 'O dispositivo está parado',
      unlink: 'Desvincular o telefone',
      unlinkTitle: (phone) => `Desvincular ${phone}?`,
      unlinkEffects: {
        silent: 'O dispositivo para, e o bot não responde mais neste número.',
        phone:
          'Ele some dos dispositivos conectados do telefone. Para usá-lo de novo, alguém precisa ler outro código QR.',
        kept: 'As conversas e mensagens permanecem aqui.',
      },
      unlinked: 'O telefone foi desvinculado',
      delete: 'Excluir',
      deleteTitle: (name) => `Excluir ${name}?`,
      deleteEffects: {
        gone: 'O dispositivo e seu vínculo com o telefone são excluídos definitivamente.',
        waiting: 'Mensagens que aguardam envio por ele não são enviadas.',
        bot: 'O bot e os outros dispositivos da equipe permanecem.',
      },
      deleted: (name) => `${name} foi excluído`,
    },
    de: {
      stop: 'Stoppen',
      stopTitle: (name) => `${name} stoppen?`,
      stopEffects: {
        silent: 'Der Bot antwortet unter dieser Nummer nicht mehr, und aktive Nachrichten werden abgelehnt.',
        linked: 'Das Telefon bleibt verknüpft: Sie können ohne Scan wieder verbinden.',
        kept: 'Das Netz bewahrt Nachrichten auf, die inzwischen ankommen, und stellt sie später zu.',
      },
      stopWebsiteEffects: {
        waiting:
          'Der Bot antwortet nicht mehr auf der Website. Nachrichten von Besuchern warten, bis Sie wieder verbinden.',
      },
      stopUnlinkedEffects: { code: 'Der QR-Code wird ungültig. Verbinden Sie erneut für einen neuen.' },
      stopped: 'Das Gerät ist gestoppt',
      unlink: 'Verknüpfung lösen',
      unlinkTitle: (phone) => `Verknüpfung mit ${phone} lösen?`,
      unlinkEffects: {
        silent: 'Das Gerät stoppt, und der Bot antwortet unter dieser Nummer nicht mehr.',
        phone:
          'Es verschwindet aus den verknüpften Geräten des Telefons. Danach muss jemand einen neuen QR-Code scannen.',
        kept: 'Unterhaltungen und Nachrichten bleiben hier.',
      },
      unlinked: 'Die Verknüpfung ist gelöst',
      delete: 'Löschen',
      deleteTitle: (name) => `${name} löschen?`,
      deleteEffects: {
        gone: 'Das Gerät und seine Verknüpfung mit dem Telefon werden endgültig gelöscht.',
        waiting: 'Nachrichten, die auf den Versand warten, werden nicht gesendet.',
        bot: 'Der Bot und die anderen Geräte des Teams bleiben.',
      },
      deleted: (name) => `${name} ist gelöscht`,
    },
  },
);
