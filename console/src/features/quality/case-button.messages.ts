import { defineMessages } from '../../i18n/define-messages.ts';

export const caseButtonMessages = defineMessages(
  { makeCase: 'Make a case' },
  {
    es: { makeCase: 'Crear un caso' },
    pt: { makeCase: 'Criar um caso' },
    de: { makeCase: 'Als Testfall' },
  },
);
