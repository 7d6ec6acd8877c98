import { Search } from 'lucide-react';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { Input } from './ui/field.tsx';

const delayMs = 250;

/** Reports the text, or undefined for none, when the user pauses. */
export function SearchInput({
  value = '',
  onChange,
  label,
}: {
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  label: string;
}) {
  const [text, setText] = useState(value);
  const reported = useRef(value);
  useEffect(() => {
    if (value === reported.current) return;
    reported.current = value;
    setText(value);
  }, [value]);
  const report = useEffectEvent((searched: string) => {
    reported.current = searched;
    onChange(searched === '' ? undefined : searched);
  });
  useEffect(() => {
    if (text.trim() === reported.current) return;
    const timer = setTimeout(() => report(text.trim()), delayMs);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <div className="relative w-full sm:w-72">
      <Search aria-hidden className="pointer-events-none absolute top-2.5 left-3 size-4 text-muted" />
      <Input
        type="search"
        aria-label={label}
        placeholder={label}
        value={text}
        maxLength={255}
        className="pl-9"
        onChange={(event) => setText(event.target.value)}
      />
    </div>
  );
}
