import { selectCitations } from '../../chat/answering/citations.sql.ts';
import { type DraftKnowledge, selectDraftKnowledge } from '../../knowledge/bots/draft-content.sql.ts';
import { normalizeQuestion } from '../../knowledge/search/question-features.ts';
import type { GroupQuestions } from '../../knowledge/search/question-groups.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { notFound } from '../../platform/http/errors.ts';
import type { Clock } from '../../platform/shared/clock.ts';
import { type CaseRow, selectEnabledCases, selectTeamOfBot } from '../cases/cases.queries.ts';
import type { Check } from '../cases/cases.schemas.ts';
import type { Health } from './health.schemas.ts';

export interface HealthDependencies {
  db: Database;
  clock: Pick<Clock, 'now'>;
  groupQuestions: GroupQuestions;
}

/** Returns the faults in the knowledge of a draft. Throws `bot_not_found` (404). */
export async function readHealth(
  { db, clock, groupQuestions }: HealthDependencies,
  { scope }: Actor,
  botId: string,
): Promise<Health> {
  const teamId = await selectTeamOfBot(db, scope, botId);
  if (teamId === undefined) throw notFound('bot');
  const { pairs, documents } = await selectDraftKnowledge(db, botId);
  const citations = await selectCitations(db, { teamId, botId });
  const cases = await selectEnabledCases(db, botId);
  const casesOfPairs = groupByNeed(cases, ({ kind, question }) =>
    kind === 'cites_pair' && question !== undefined ? normalizeQuestion(question) : null,
  );
  const casesOfDocuments = groupByNeed(cases, ({ kind, document_id: id }) =>
    kind === 'cites_document' && id !== undefined ? id.toLowerCase() : null,
  );
  // Maps, because a question can be the name of a member that every object has.
  const usesOfPairs = new Map(Object.entries(citations.pairs));
  const usesOfDocuments = new Map(Object.entries(citations.documents));
  const groups = (await groupQuestions(pairs.map(({ question }) => question)))
    .map((group) => group.flatMap((index) => pairs[index] ?? []))
    .filter((group) => group.length > 1);
  return {
    answers_read: citations.answers,
    duplicates: groups.map((group) => ({ questions: group.map(({ question }) => question) })),
    contradictions: groups.flatMap(findContradiction),
    pairs: pairs
      .map(({ question }) => ({
        question,
        ...useOf(usesOfPairs.get(question)),
        case_ids: casesOfPairs.get(normalizeQuestion(question)) ?? [],
      }))
      .toSorted(byUse),
    documents: documents
      .map(({ id, created_at, ...document }) => ({
        document_id: id,
        ...document,
        created_at: new Date(created_at).toISOString(),
        stale: isStale({ created_at, ...document }, clock.now()),
        ...useOf(usesOfDocuments.get(id)),
        case_ids: casesOfDocuments.get(id) ?? [],
      }))
      .toSorted(byUse),
  };
}

/** Returns the ids of the cases that need each pair or document. */
function groupByNeed(
  cases: readonly Pick<CaseRow, 'id' | 'checks'>[],
  needOf: (check: Check) => string | null,
): Map<string, string[]> {
  const needs = cases.flatMap(({ id, checks }) =>
    [...new Set(checks.flatMap((check) => needOf(check) ?? []))].map((need) => ({ id, need })),
  );
  const groups = Map.groupBy(needs, ({ need }) => need);
  return new Map([...groups].map(([need, group]) => [need, group.map(({ id }) => id)]));
}

const useOf = (answers = 0) => ({ answers, unused: answers === 0 });

const byUse = (one: { answers: number }, other: { answers: number }): number => one.answers - other.answers;

const yearMs = 365 * 86_400_000;

const isStale = (
  { latest_year: year, created_at }: Pick<DraftKnowledge['documents'][number], 'latest_year' | 'created_at'>,
  now: Date,
): boolean => (year === null ? now.getTime() - Date.parse(created_at) > yearMs : year < now.getUTCFullYear());

/** Reports a group whose answers differ in a number, such as a price or a time. */
function findContradiction(group: DraftKnowledge['pairs']): Health['contradictions'] {
  const numbers = group.map(({ answer }) => [...new Set(answer.match(/\d+(?:[.,:]\d+)*/g) ?? [])].sort());
  const differs = new Set(numbers.map((found) => found.join(' '))).size > 1;
  return differs ? [{ questions: group.map(({ question }) => question), numbers }] : [];
}
