import type { BotAnswer } from '@parley/sdk';
import { useMutation, useQuery } from '@tanstack/react-query';
import { RotateCcw, SendHorizontal, UserPlus } from 'lucide-react';
import { type FormEvent, type KeyboardEvent, useRef, useState } from 'react';
import { api } from '../../api/client.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Input } from '../../components/ui/field.tsx';
import { Select } from '../../components/ui/select.tsx';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { cn } from '../../lib/class-names.ts';
import { AnswerSources } from '../answers/answer-sources.tsx';
import { answersMessages } from '../answers/answers.messages.ts';
import { botVersionsQuery } from './bots.queries.ts';
import { playgroundMessages } from './playground.messages.ts';
import { historyOf, type Turn, type Version } from './playground-turns.ts';

/** A chat with the stored draft or the published version, with the trace of every answer. */
export function Playground({
  botId,
  isChanged,
  isSuspended,
}: {
  botId: string;
  isChanged: boolean;
  /** Whether the API refuses questions, because the team is suspended. */
  isSuspended: boolean;
}) {
  const t = useMessages(playgroundMessages);
  const versions = useQuery(botVersionsQuery(botId)).data?.data ?? [];
  const [version, setVersion] = useState<Version>('draft');
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const [text, setText] = useState('');
  const lastId = useRef(0);
  const ask = useMutation({
    mutationFn: async (turn: Turn) => {
      const answer = await api.askBot({
        id: botId,
        question: turn.question,
        version: turn.version,
        history: historyOf(turns),
      });
      setTurns((old) => old.map((each) => (each.id === turn.id ? { ...each, answer } : each)));
    },
    onError: (_, turn) => setTurns((old) => old.filter(({ id }) => id !== turn.id)),
  });
  const send = (question: string) => {
    if (question === '' || ask.isPending || isSuspended) return;
    lastId.current += 1;
    const turn = { id: lastId.current, question, version, answer: null };
    setTurns([...turns, turn]);
    setText('');
    ask.mutate(turn);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send(text.trim());
  };
  const recall = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowUp' || text !== '') return;
    event.preventDefault();
    setText(turns.at(-1)?.question ?? '');
  };
  const begin = () => {
    setTurns([]);
    ask.reset();
  };
  return (
    <section
      aria-label={t.title}
      className={cn(
        'flex max-h-[40rem] min-h-96 flex-col overflow-hidden rounded-xl border bg-card xl:sticky xl:top-6 xl:max-h-[48rem]',
        // The bar of unsaved changes must not cover the field for the question.
        isChanged ? 'xl:h-[calc(100dvh-14.5rem)]' : 'xl:h-[calc(100dvh-9.5rem)]',
      )}
    >
      <header className="flex flex-wrap items-center gap-2 border-b py-2.5 pr-2.5 pl-4">
        <h2 className="flex-1 font-semibold">{t.title}</h2>
        <Select<Version>
          label={t.version}
          value={version}
          onChange={setVersion}
          disabled={!versions.some(({ live }) => live)}
          choices={[
            { value: 'draft', label: t.draft },
            { value: 'published', label: t.published },
          ]}
        />
        <Button size="icon" aria-label={t.newContact} title={t.newContact} onClick={begin}>
          <UserPlus aria-hidden className="size-4" />
        </Button>
      </header>
      <div
        role="log"
        aria-label={t.answers}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll
        tabIndex={0}
        className="flex min-h-0 flex-1 flex-col-reverse overflow-y-auto p-4 -outline-offset-2"
      >
        <ol className="grid gap-4">
          {turns.map((turn) => (
            <TurnItem key={turn.id} turn={turn} onResend={() => send(turn.question)} />
          ))}
        </ol>
        {turns.length === 0 && (
          <p className="m-auto max-w-64 text-center text-balance text-muted">{t.empty}</p>
        )}
      </div>
      {ask.isError && (
        <div className="px-4 pb-3">
          <ErrorNotice error={ask.error} />
        </div>
      )}
      <form onSubmit={submit} className="grid gap-2 border-t p-3">
        <div className="flex gap-2">
          <Input
            aria-label={t.question}
            placeholder={t.question}
            maxLength={4096}
            autoComplete="off"
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={recall}
            disabled={isSuspended}
          />
          <Button
            type="submit"
            look="primary"
            size="icon"
            aria-label={t.send}
            disabled={text.trim() === '' || ask.isPending || isSuspended}
          >
            <SendHorizontal aria-hidden className="size-4" />
          </Button>
        </div>
        <p className="text-muted text-xs">
          {isSuspended ? t.suspended : isChanged && version === 'draft' ? t.saveFirst : t.hint}
        </p>
      </form>
    </section>
  );
}

function TurnItem({ turn: { question, version, answer }, onResend }: { turn: Turn; onResend: () => void }) {
  const t = useMessages(playgroundMessages);
  return (
    <li className="grid gap-2">
      <div className="flex items-center justify-end gap-1">
        <Button
          look="ghost"
          size="iconSmall"
          className="text-muted"
          aria-label={t.resend(question)}
          title={t.resend('')}
          onClick={onResend}
        >
          <RotateCcw aria-hidden className="size-3.5" />
        </Button>
        <p
          dir="auto"
          className="max-w-[85%] rounded-2xl rounded-br-md bg-accent px-3.5 py-2 whitespace-pre-wrap text-on-accent wrap-anywhere"
        >
          {question}
        </p>
      </div>
      {answer === null ? (
        <p role="status" className="text-muted">
          {t.thinking}
        </p>
      ) : (
        <>
          <p
            dir="auto"
            className="max-w-[85%] justify-self-start rounded-2xl rounded-bl-md border bg-surface px-3.5 py-2 whitespace-pre-wrap wrap-anywhere"
          >
            {answer.answer}
          </p>
          <Trace answer={answer} version={version} />
        </>
      )}
    </li>
  );
}

function Trace({ answer: { answered, trace }, version }: { answer: BotAnswer; version: Version }) {
  const t = useMessages(playgroundMessages);
  const answers = useMessages(answersMessages);
  const { number } = useFormats();
  const { usage } = trace;
  const known = (value: number | null) => (value === null ? '?' : number(value));
  return (
    <div className="grid gap-2.5 border-l-2 pl-3 text-[0.8125rem]">
      <AnswerSources answered={answered} sources={trace} />
      <p className="text-muted text-xs tabular-nums">
        {[
          version === 'draft' ? t.draft : t.published,
          answers.elapsed(number(trace.elapsed_ms)),
          answers.tokens(known(usage.input_tokens), known(usage.output_tokens)),
          answers.credits(usage.credits),
          answers.cost(known(usage.cost)),
        ].join(' · ')}
      </p>
    </div>
  );
}
