import type { Health } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { Loaded } from '../../components/loaded.tsx';
import { Card } from '../../components/ui/card.tsx';
import { useFormats, useMessages } from '../../i18n/use-locale.ts';
import { healthMessages } from './health.messages.ts';
import { healthQuery } from './quality.queries.ts';

/** The faults in the knowledge of the bot. */
export function HealthCard({ botId }: { botId: string }) {
  const t = useMessages(healthMessages);
  const query = useQuery(healthQuery(botId));
  return (
    <Card title={t.title} description={t.hint}>
      <Loaded query={query}>{(health) => <Findings health={health} />}</Loaded>
    </Card>
  );
}

function Findings({ health }: { health: Health }) {
  const t = useMessages(healthMessages);
  const { number } = useFormats();
  const { answers_read: read, contradictions, duplicates, documents, pairs } = health;
  const contradicting = new Set(contradictions.map(({ questions }) => questions.join()));
  const dependsOn = ({ answers, case_ids }: { answers: number; case_ids: string[] }) =>
    t.dependsOn(number(answers), number(case_ids.length));
  const sections = [
    [
      t.contradictions,
      contradictions.map(
        ({ questions, numbers }) =>
          `${questions.join(' / ')}: ${numbers.map((each) => each.join(', ')).join(' / ')}`,
      ),
    ],
    [
      t.duplicates,
      duplicates
        .filter(({ questions }) => !contradicting.has(questions.join()))
        .map(({ questions }) => questions.join(' / ')),
    ],
    [
      t.stale,
      documents.filter(({ stale }) => stale).map((document) => `${document.name}: ${dependsOn(document)}`),
    ],
    [
      t.unusedPairs,
      read === 0
        ? []
        : pairs.filter(({ unused }) => unused).map((pair) => `${pair.question}: ${dependsOn(pair)}`),
    ],
    [
      t.unusedDocuments,
      read === 0
        ? []
        : documents
            .filter(({ unused }) => unused)
            .map((document) => `${document.name}: ${dependsOn(document)}`),
    ],
  ] as const;
  const found = sections.filter(([, items]) => items.length > 0);
  return (
    <div className="grid gap-4">
      <p className="text-muted">{t.read(number(read))}</p>
      {found.length === 0 && <p>{t.nothing}</p>}
      {found.map(([title, items]) => (
        <details key={title}>
          <summary className="cursor-pointer font-medium">{`${title} (${number(items.length)})`}</summary>
          <ul className="mt-2 grid list-disc gap-1 pl-4.5 text-[0.8125rem] marker:text-control">
            {items.map((item) => (
              <li key={item} className="wrap-anywhere">
                {item}
              </li>
            ))}
          </ul>
        </details>
      ))}
    </div>
  );
}
