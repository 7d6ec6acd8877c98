import type { StreamEventsOptions } from '@parley/sdk';
import { type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query';
import { createContext, useEffect, useRef } from 'react';
import { attentionQuery, countOf, useAttention } from './attention.ts';
import { setFeedState } from './live-queries.ts';
import { loadSound } from './preferences.ts';
import { showTyping } from './typing.ts';
import { useLiveEvents } from './use-live-events.ts';
import { useMay } from './use-may.ts';

/** Events that change the figures of the console. */
const liveTypes: NonNullable<StreamEventsOptions['types']> = [
  'message.received',
  'message.sent',
  'message.delivered',
  'message.read',
  'message.failed',
  'contact.opted_in',
  'contact.opted_out',
  'device.connected',
  'device.disconnected',
  'device.logged_out',
  'device.restricted',
  'template.updated',
  'conversation.paused',
  'conversation.resumed',
  'conversation.human_requested',
  'contact.automated',
  'bot.published',
  'document.ready',
  'document.failed',
  'payment.captured',
  'team.created',
  'team.deleted',
  'quota.warning',
  'quota.reached',
  'credits.exhausted',
  'webhook.disabled',
];

const followedTypes: typeof liveTypes = [...liveTypes, 'conversation.typing'];

const noTypes: typeof liveTypes = [];

/** Plays two short tones when more contacts wait for a person than before. A browser keeps silent until the person touches the page. */
export function useSound(): void {
  const waiting = countOf(useAttention(), ['human_requested']);
  const before = useRef<number | null>(null);
  useEffect(() => {
    if (before.current !== null && waiting > before.current && loadSound()) playTones();
    before.current = waiting;
  }, [waiting]);
}

function playTones(): void {
  const audio = new AudioContext();
  const tone = audio.createOscillator();
  const volume = audio.createGain();
  const end = audio.currentTime + 0.4;
  tone.frequency.setValueAtTime(660, audio.currentTime);
  tone.frequency.setValueAtTime(880, audio.currentTime + 0.2);
  volume.gain.setValueAtTime(0.15, audio.currentTime);
  volume.gain.linearRampToValueAtTime(0, end);
  tone.connect(volume).connect(audio.destination);
  tone.onended = () => void audio.close();
  tone.start();
  tone.stop(end);
}

/** Since when the live feed has been dead, or null. */
export const LiveFeedContext = createContext<number | null>(null);

/** A busy service must not cause requests for every event. */
const refreshDelayMs = 3_000;

/** Somebody reads along. */
const messageDelayMs = 500;

/**
 * Reads the figures and the conversations of the open page again soon after an event. Returns since when the live feed has been
 * dead.
 */
export function useLiveFeed(): number | null {
  const queries = useQueryClient();
  const changed = useRef(new Set<string>());
  const refreshFigures = useThrottled(refreshDelayMs, () =>
    refresh(queries, [attentionQuery.queryKey, ['home']]),
  );
  const refreshObjects = useThrottled(messageDelayMs, () => {
    refresh(queries, keysOf(changed.current));
    changed.current.clear();
  });
  const mayFollow = useMay()('listEvents');
  const deadSince = useLiveEvents(mayFollow ? followedTypes : noTypes, (event) => {
    if (event?.type === 'conversation.typing') {
      const { conversation_id: conversationId, author } = event.data;
      return showTyping({ conversationId, ...author });
    }
    for (const each of event === null ? liveTypes : [event.type]) changed.current.add(each);
    refreshFigures();
    refreshObjects();
  });
  const isAlive = mayFollow && deadSince === null;
  useEffect(() => {
    setFeedState(isAlive ? 'alive' : 'dead');
    // Each query decides anew how often it reads.
    refresh(queries, keysOf(liveTypes));
    return () => setFeedState('dead');
  }, [isAlive, queries]);
  return deadSince;
}

/** The queries that show what events of these types tell. */
const keysOf = (types: Iterable<string>): QueryKey[] => {
  const subjects = new Set([...types].map((type) => type.split('.')[0]));
  return [
    ...(subjects.has('message') || subjects.has('conversation') || subjects.has('contact')
      ? [['conversations']]
      : []),
    ...(subjects.has('device') || subjects.has('template') ? [['devices']] : []),
    ...(subjects.has('contact') ? [['contacts']] : []),
  ];
};

function useThrottled(ms: number, work: () => void): () => void {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  return () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      work();
    }, ms);
  };
}

/** A read that takes longer than the delay must finish, or a busy service would never show new figures. */
function refresh(queries: QueryClient, keys: readonly QueryKey[]): void {
  for (const queryKey of keys) void queries.invalidateQueries({ queryKey }, { cancelRefetch: false });
}
