import type { BotDetail, BotVersionDetail, MessageAnswer, MessageRecord } from '@parley/sdk';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { api, issuesOf } from '../../api/client.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Dialog, DialogFooter } from '../../components/ui/dialog.tsx';
import { Field, Textarea } from '../../components/ui/field.tsx';
import { Select } from '../../components/ui/select.tsx';
import { Skeleton } from '../../components/ui/skeleton.tsx';
import { toastSuccess } from '../../components/ui/toast.tsx';
import { useMessages } from '../../i18n/use-locale.ts';
import { AnswerSources } from '../answers/answer-sources.tsx';
import type { Pair } from '../bots/bot-draft.ts';
import { botQuery } from '../bots/bots.queries.ts';
import { answerQuery, newestMessagesQuery, threadQuery } from '../conversations/conversations.queries.ts';
import { publishThroughGate } from '../quality/publish-through-gate.ts';
import { improveMessages } from './improve.messages.ts';
import { draftToImproveQuery, hasOtherChanges } from './improve.queries.ts';
import { longestAnswer, longestQuestion, type Suggestion, suggestPair, withPair } from './suggest-pair.ts';

interface Props {
  conversationId: string;
  /** A message of the answer, or of the contact who asked. */
  messageId: string;
  onClose: () => void;
  /** Called after the draft changed. */
  onSaved?: () => Promise<void>;
}

/** Changes the pair behind an answer, or adds one, tests it in the draft and publishes it. */
export function ImproveDialog({ conversationId, messageId, onClose, onSaved }: Props) {
  const t = useMessages(improveMessages);
  const queries = useQueryClient();
  const close = useRef(onClose);
  const answer = useQuery(answerQuery(messageId));
  const newest = useQuery(newestMessagesQuery(conversationId));
  const draft = useQuery(draftToImproveQuery(answer.data?.bot_id));
  const failed = [answer, newest, draft].find(({ isLoadingError }) => isLoadingError);
  const loaded = queries.getQueryData(threadQuery(conversationId).queryKey)?.pages ?? [];
  return (
    <Dialog open onOpenChange={() => close.current()} title={t.title} wide keepsOpen>
      {failed !== undefined ? (
        <ErrorNotice error={failed.error} onRetry={() => void failed.refetch()} />
      ) : answer.data === undefined || newest.data === undefined || draft.data === undefined ? (
        <Skeleton className="h-60 w-full" />
      ) : (
        <ImproveForm
          draft={draft.data}
          suggestion={suggest(
            [...loaded.flatMap(({ data }) => data), ...newest.data.data],
            messageId,
            answer.data,
            draft.data.bot,
          )}
          close={close}
          onClose={onClose}
          onSaved={onSaved}
        />
      )}
    </Dialog>
  );
}

/** The pages may overlap. */
function suggest(
  messages: readonly MessageRecord[],
  messageId: string,
  answer: MessageAnswer,
  { questions }: BotDetail,
): Suggestion {
  const byId = new Map(messages.map((message) => [message.id, message]));
  const inOrder = [...byId.values()].sort(
    (a, b) => a.created_at.localeCompare(b.created_at) || a.id.localeCompare(b.id),
  );
  return suggestPair(inOrder, messageId, answer, questions);
}

function ImproveForm({
  draft,
  suggestion,
  close,
  onClose,
  onSaved,
}: {
  draft: { bot: BotDetail; live: BotVersionDetail | null };
  suggestion: Suggestion;
  /** What closes the dialog. Nothing does while it saves. */
  close: { current: () => void };
  onClose: () => void;
  onSaved: (() => Promise<void>) | undefined;
}) {
  const t = useMessages(improveMessages);
  const queries = useQueryClient();
  const { bot } = draft;
  // Messages that arrive meanwhile must not change what the user edits.
  const [{ asked, existing, text, source }] = useState(suggestion);
  const added: Pair = { question: asked, answer: text };
  const [what, setWhat] = useState<'existing' | 'added'>(existing === undefined ? 'added' : 'existing');
  const [pair, setPair] = useState<Pair>(existing ?? added);
  /** The question of the pair that the draft has since a test. */
  const stored = useRef<string | undefined>(undefined);
  const change = (changes: Partial<Pair>) => {
    setPair((old) => ({ ...old, ...changes }));
    test.reset();
  };
  const save = async () => {
    const replaces = stored.current ?? (what === 'existing' ? existing?.question : undefined);
    const { questions } = await api.getBot({ id: bot.id });
    await api.updateBot({ id: bot.id, questions: withPair(questions, replaces, pair) });
    stored.current = pair.question;
  };
  const refresh = async () => {
    // A page of the bot that is opened later must not begin with the draft of before.
    queries.removeQueries({ queryKey: botQuery(bot.id).queryKey, type: 'inactive' });
    await Promise.all([queries.invalidateQueries({ queryKey: ['bots'] }), onSaved?.()]);
  };
  const test = useMutation({
    mutationFn: async () => {
      await save();
      return api.askBot({ id: bot.id, question: asked === '' ? pair.question : asked, version: 'draft' });
    },
  });
  const publish = useMutation({
    mutationFn: async () => {
      await save();
      await publishThroughGate(bot.id);
      await refresh();
    },
    onSuccess() {
      onClose();
      toastSuccess(t.published);
    },
  });
  const isBusy = test.isPending || publish.isPending;
  close.current = () => {
    if (isBusy) return;
    onClose();
    if (stored.current === undefined) return;
    toastSuccess(t.kept);
    void refresh();
  };
  const error = publish.error ?? test.error;
  const issues = Object.entries(issuesOf(error));
  const issueOf = (field: keyof Pair) =>
    issues.find(([path]) => path.startsWith('questions[') && path.endsWith(`.${field}`))?.[1];
  const isEmpty = pair.question.trim() === '' || pair.answer.trim() === '';
  return (
    <form
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        publish.mutate();
      }}
    >
      {asked !== '' && (
        <p className="max-h-32 overflow-y-auto whitespace-pre-wrap text-muted wrap-anywhere">
          {t.asked(asked)}
        </p>
      )}
      {existing !== undefined && (
        <Select
          label={t.what}
          value={what}
          disabled={isBusy || stored.current !== undefined}
          onChange={(chosen) => {
            setWhat(chosen);
            setPair(chosen === 'existing' ? existing : added);
          }}
          choices={[
            { value: 'existing', label: t.existing },
            { value: 'added', label: t.added },
          ]}
        />
      )}
      <Field label={t.question} error={issueOf('question')}>
        <Textarea
          value={pair.question}
          maxLength={longestQuestion}
          disabled={isBusy}
          className="min-h-9"
          rows={1}
          onChange={(event) => change({ question: event.target.value })}
        />
      </Field>
      <Field
        label={t.answer}
        error={issueOf('answer')}
        hint={what === 'added' && source !== null ? t.sources[source] : undefined}
      >
        <Textarea
          value={pair.answer}
          maxLength={longestAnswer}
          disabled={isBusy}
          onChange={(event) => change({ answer: event.target.value })}
        />
      </Field>
      {hasOtherChanges(draft, [existing?.question ?? '', asked, pair.question]) && (
        <p className="text-warning text-[0.8125rem]">
          {t.otherChanges}{' '}
          <Link
            to="/bots/$botId"
            params={{ botId: bot.id }}
            search={{ tab: 'versions' }}
            className="underline underline-offset-4"
          >
            {t.showChanges}
          </Link>
        </p>
      )}
      <section aria-label={t.result} aria-live="polite" className="grid gap-2.5 text-[0.8125rem]">
        {test.isPending && <p className="text-muted">{t.testing}</p>}
        {test.data !== undefined && (
          <>
            <p
              dir="auto"
              className="max-w-[85%] justify-self-start rounded-2xl rounded-bl-md border bg-surface px-3.5 py-2 whitespace-pre-wrap text-sm wrap-anywhere"
            >
              {test.data.answer}
            </p>
            <AnswerSources answered={test.data.answered} sources={test.data.trace} />
          </>
        )}
      </section>
      {error !== null && <ErrorNotice error={error} />}
      <p className="text-muted text-[0.8125rem]">{t.testHint}</p>
      <DialogFooter>
        <Button busy={test.isPending} disabled={isBusy || isEmpty} onClick={() => test.mutate()}>
          {t.test}
        </Button>
        <Button type="submit" look="primary" busy={publish.isPending} disabled={isBusy || isEmpty}>
          {t.publish}
        </Button>
      </DialogFooter>
    </form>
  );
}
