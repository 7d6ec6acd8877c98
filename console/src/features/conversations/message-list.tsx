import type { MessageRecord } from '@parley/sdk';
import { memo, type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { useFormats } from '../../i18n/use-locale.ts';
import { MessageItem } from './message-item.tsx';

const blockSize = 10;
/** Blocks are rendered while they are this near to the visible part. */
const renderedAround = '800px 0px';

/** The loaded messages, oldest first. Only blocks near the visible part are rendered, because a thread may be very long. */
export function MessageList({
  conversationId,
  messages,
  total,
  scroller,
}: {
  conversationId: string;
  messages: readonly MessageRecord[];
  /** The number of messages of the conversation. The last loaded one is the newest. */
  total: number;
  scroller: RefObject<HTMLElement | null>;
}) {
  const notLoaded = Math.max(0, total - messages.length);
  // Waits for the earlier messages of a block and for the one before it. Otherwise the block would grow while it is read, and
  // Chromium, which keeps the top of a visible block in its place, would move the messages.
  const firstBlock = notLoaded === 0 ? 0 : Math.floor(notLoaded / blockSize) + 1;
  const blocks = Math.ceil((notLoaded + messages.length) / blockSize) - firstBlock;
  return (
    // biome-ignore lint/a11y/useSemanticElements: an ol must not contain the blocks
    <div role="list" className="grid grid-cols-1 gap-2">
      {Array.from({ length: blocks }, (_, index) => {
        const number = firstBlock + index;
        const start = number * blockSize - notLoaded;
        return (
          <Block
            key={number}
            conversationId={conversationId}
            messages={messages.slice(start, start + blockSize)}
            previous={messages[start - 1]}
            firstPosition={notLoaded + start + 1}
            total={total}
            scroller={scroller}
          />
        );
      })}
    </div>
  );
}

interface BlockProps {
  conversationId: string;
  messages: readonly MessageRecord[];
  /** The message before the block. */
  previous: MessageRecord | undefined;
  firstPosition: number;
  total: number;
  scroller: RefObject<HTMLElement | null>;
}

const Block = memo(({ scroller, ...props }: BlockProps) => {
  const [block, height] = useHeightWhileFar(scroller);
  const [openTraces, setOpenTraces] = useState<ReadonlySet<string>>(new Set());
  const toggleTrace = useCallback(
    (id: string) =>
      setOpenTraces((open) =>
        open.has(id) ? new Set([...open].filter((other) => other !== id)) : new Set([...open, id]),
      ),
    [],
  );
  return (
    <div ref={block} className="grid grid-cols-1 gap-2" style={height === null ? {} : { height }}>
      {height === null && <Items {...props} openTraces={openTraces} onToggleTrace={toggleTrace} />}
    </div>
  );
}, showsTheSame);

/** The list slices its messages anew each time. Only changed blocks may render, because a long thread has hundreds. */
function showsTheSame(before: BlockProps, after: BlockProps): boolean {
  return (
    before.firstPosition === after.firstPosition &&
    before.total === after.total &&
    before.previous === after.previous &&
    before.messages.length === after.messages.length &&
    before.messages.every((message, index) => message === after.messages[index])
  );
}

function Items({
  conversationId,
  messages,
  previous,
  firstPosition,
  total,
  openTraces,
  onToggleTrace,
}: Omit<BlockProps, 'scroller'> & {
  openTraces: ReadonlySet<string>;
  onToggleTrace: (messageId: string) => void;
}) {
  const { date } = useFormats();
  const days = [previous, ...messages].map((message) => message && date(message.created_at));
  return messages.map((message, index) => (
    // biome-ignore lint/a11y/useSemanticElements: belongs to the list around the blocks
    <div
      key={message.id}
      role="listitem"
      aria-posinset={firstPosition + index}
      aria-setsize={total}
      className="grid gap-2"
    >
      <MessageItem
        conversationId={conversationId}
        message={message}
        day={days[index + 1] === days[index] ? null : (days[index + 1] ?? null)}
        showsTrace={openTraces.has(message.id)}
        onToggleTrace={onToggleTrace}
      />
    </div>
  ));
}

/** Returns the ref of an element, and its last height while it is far from the visible part and has no focus. */
function useHeightWhileFar(scroller: RefObject<HTMLElement | null>) {
  const ref = useRef<HTMLDivElement>(null);
  const [height, setHeight] = useState<number | null>(null);
  useEffect(() => {
    if (ref.current === null) return;
    const observer = new IntersectionObserver(
      (entries) => {
        const { isIntersecting, target, boundingClientRect } = entries.at(-1) ?? {};
        if (isIntersecting === true) setHeight(null);
        else if (target?.contains(document.activeElement) === false)
          setHeight(boundingClientRect?.height ?? null);
      },
      { root: scroller.current, rootMargin: renderedAround },
    );
    observer.observe(ref.current);
    return () => observer.disconnect();
  }, [scroller]);
  return [ref, height] as const;
}
