import type { Writable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import type { Exchange } from '@parley/sdk';

/** Reports the progress of the story. */
export interface Narrator {
  /** Runs one step and reports the result as `describe` words it. */
  step<Result>(
    title: string,
    run: () => Promise<Result>,
    describe: (result: Result) => string,
  ): Promise<Result>;
  /** `source` names the part of the bot that answers. */
  chat(question: string, answer: string, source: string): void;
}

interface Output {
  write(text: string): unknown;
  isTTY?: boolean;
}

/**
 * Resolves when `output` can no longer be written, for example because `head` has exited. Without a listener, the failed
 * write would end the process before it stops its services.
 */
export function waitForClosedOutput(output: Writable): Promise<void> {
  return new Promise((resolve) => output.on('error', () => resolve()));
}

/** Prints one line per step and the customer's chat. With `verbose`, also every request and response. */
export function createNarrator(out: Output, { verbose }: { verbose: boolean }) {
  const styled = out.isTTY === true;
  const bold = (text: string) => (styled ? `\u001b[1m${text}\u001b[22m` : text);
  const dim = (text: string) => (styled ? `\u001b[2m${text}\u001b[22m` : text);
  let steps = 0;
  let previous: object | null = null;
  return {
    async step<Result>(
      title: string,
      run: () => Promise<Result>,
      describe: (result: Result) => string,
    ): Promise<Result> {
      steps += 1;
      out.write(`${bold(`${steps}. ${title}`)}${verbose ? '\n' : ': '}`);
      const result = await run();
      out.write(verbose ? `   = ${describe(result)}\n\n` : `${describe(result)}\n`);
      return result;
    },
    chat(question: string, answer: string, source: string) {
      out.write(`\n   ${dim('Customer')}  ${question}\n`);
      out.write(
        `   ${dim('Bot')}       ${answer.replaceAll('\n', '\n             ')}\n             ${dim(`(from ${source})`)}\n`,
      );
    },
    show({ method, url, input, status, body }: Exchange) {
      const shown = { method, path: url.pathname + url.search, input: describeInput(input), status, body };
      // A poll that returns the same again is not worth another block.
      if (!verbose || isDeepStrictEqual(shown, previous)) return;
      previous = shown;
      out.write(`   ${method} ${shown.path}\n`);
      if (input !== undefined) out.write(dim(`   → ${indented(shown.input)}\n`));
      out.write(dim(`   ← ${status} ${indented(body)}\n`));
    },
  };
}

/** Shows the files of a form by name and size. */
const describeInput = (input: unknown): unknown =>
  input instanceof FormData
    ? Object.fromEntries(
        [...input].map(([name, value]) => [
          name,
          value instanceof File ? `<${value.name}, ${value.size} bytes>` : value,
        ]),
      )
    : input;

const secretFields = new Set(['key_secret', 'access_token', 'token']);

/** JSON without secrets and without the bytes of pictures. */
const indented = (value: unknown): string =>
  JSON.stringify(
    value,
    (name, field: unknown) => {
      if (secretFields.has(name)) return '[hidden]';
      return typeof field === 'string' ? field.replace(/^(data:[^,]{0,40},).*$/, '$1…') : field;
    },
    2,
  ).replaceAll('\n', '\n     ');
