import type { Writable } from 'node:stream';
import type { Exchange } from './partner.ts';

/** Longer texts (pictures, tokens) are cut where they are shown. */
const longestText = 72;

/** Prints the story: numbered steps, each call with its request and answer, and the customer's chat. */
export function createNarrator(out: Writable) {
  const styled = 'isTTY' in out && out.isTTY === true;
  const bold = (text: string) => (styled ? `\u001b[1m${text}\u001b[22m` : text);
  const dim = (text: string) => (styled ? `\u001b[2m${text}\u001b[22m` : text);
  let step = 0;
  let lastPolled = '';
  return {
    chapter(title: string) {
      step += 1;
      lastPolled = '';
      out.write(`\n${bold(`${step}. ${title}`)}\n`);
    },
    show({ method, path, request, status, response }: Exchange) {
      const line = `${method} ${path}`;
      // Waiting asks the same again and again: shown once.
      if (method === 'GET' && line === lastPolled) return;
      lastPolled = line;
      out.write(`   ${line}\n`);
      if (request !== undefined) out.write(dim(`   → ${brief(request)}\n`));
      out.write(dim(`   ← ${status} ${brief(response)}\n`));
    },
    heard(question: string, answer: string) {
      lastPolled = '';
      out.write(`   ${bold('Customer')}  ${question}\n`);
      out.write(`   ${bold('Bot')}       ${answer.replaceAll('\n', '\n             ')}\n`);
    },
  };
}

/** Shown as an operator may show it to others: without secrets, long texts cut, of a list its last member. */
const brief = (value: unknown): string =>
  JSON.stringify(value, (name, member: unknown) => {
    if (secretMembers.has(name)) return '[not shown]';
    if (Array.isArray(member) && member.length > 1) return [`… ${member.length - 1} before`, member.at(-1)];
    if (typeof member !== 'string' || member.length <= longestText) return member;
    return `${member.slice(0, longestText)}… (${member.length} characters)`;
  });

const secretMembers = new Set(['key_secret', 'access_token', 'token']);
