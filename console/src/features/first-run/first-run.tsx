import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Bot, Check, ChevronRight, type LucideIcon, Sparkles, Users } from 'lucide-react';
import { useState } from 'react';
import { settings } from '../../app/settings.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Card } from '../../components/ui/card.tsx';
import { Spinner } from '../../components/ui/spinner.tsx';
import { useLocale, useMessages } from '../../i18n/use-locale.ts';
import { cn } from '../../lib/class-names.ts';
import { loadChunk } from '../../lib/load-chunk.ts';
import { Phone } from '../simulated-phone/phone.tsx';
import { CreateTeamDialog } from '../teams/create-team-dialog.tsx';
import type { Demo, DemoStep } from './create-demo.ts';
import { demoPairs } from './demo-pairs.ts';
import { firstRunMessages } from './first-run.messages.ts';

const steps: readonly DemoStep[] = ['team', 'document', 'bot', 'device'];

/** Leads a new operator to a bot that answers. `onStarted` keeps this page open although teams exist from then on. */
export function FirstRun({ onStarted }: { onStarted: () => void }) {
  const t = useMessages(firstRunMessages);
  const { locale } = useLocale();
  const queries = useQueryClient();
  const [step, setStep] = useState<DemoStep | null>(null);
  const [demo, setDemo] = useState<Demo | null>(null);
  const [error, setError] = useState<unknown>(null);
  const start = async () => {
    setError(null);
    onStarted();
    try {
      // Contains a reader of QR codes, which no other page needs.
      const { createDemo } = await loadChunk(() => import('./create-demo.ts'));
      setDemo(await createDemo(t.demo, locale, setStep));
      await queries.invalidateQueries();
    } catch (failure) {
      setError(failure);
    }
  };
  if (demo !== null) return <Ready demo={demo} />;
  if (step !== null) return <Progress step={step} error={error} />;
  return <Welcome onStart={() => void start()} />;
}

function Welcome({ onStart }: { onStart: () => void }) {
  const t = useMessages(firstRunMessages);
  const [creating, setCreating] = useState(false);
  return (
    <Card>
      <div className="grid justify-items-center gap-2 px-2 py-12 text-center">
        <span className="mb-3 grid size-12 place-items-center rounded-full bg-accent-text/12 text-accent-text">
          <Sparkles aria-hidden className="size-6" />
        </span>
        <h2 className="text-lg font-semibold tracking-tight">{t.welcome(settings.brand.name)}</h2>
        <p className="max-w-md text-muted">{t.intro}</p>
        <div className="mt-5 flex flex-wrap justify-center gap-2">
          {settings.simulator && (
            <Button look="primary" onClick={onStart}>
              {t.start}
            </Button>
          )}
          <Button onClick={() => setCreating(true)}>{t.ownTeam}</Button>
        </div>
        {settings.simulator && <p className="mt-2 max-w-sm text-muted text-[0.8125rem]">{t.startHint}</p>}
      </div>
      <CreateTeamDialog open={creating} onOpenChange={setCreating} />
    </Card>
  );
}

function Progress({ step, error }: { step: DemoStep; error: unknown }) {
  const t = useMessages(firstRunMessages);
  const current = steps.indexOf(step);
  return (
    <Card className="mx-auto w-full max-w-xl" title={error === null ? t.running : t.failed}>
      <StepList done={current} isRunning={error === null} />
      {error !== null && (
        <div className="mt-5">
          <ErrorNotice error={error} />
        </div>
      )}
    </Card>
  );
}

function StepList({ done, isRunning }: { done: number; isRunning: boolean }) {
  const t = useMessages(firstRunMessages);
  return (
    <ol aria-live="polite" className="grid gap-3">
      {steps.map((name, position) => (
        <li key={name} className={cn('flex items-center gap-3', position > done && 'text-muted')}>
          <span
            className={cn(
              'grid size-6 shrink-0 place-items-center rounded-full border',
              position < done && 'border-transparent bg-success/15 text-success',
            )}
          >
            {position < done && <Check aria-hidden className="size-3.5" />}
            {position === done && isRunning && <Spinner className="size-3.5" />}
          </span>
          {t.steps[name]}
        </li>
      ))}
    </ol>
  );
}

function Ready({ demo }: { demo: Demo }) {
  const t = useMessages(firstRunMessages);
  const questions = [
    ...demoPairs(t.demo)
      .slice(0, 2)
      .map(({ question }) => question),
    t.demo.askDocument,
  ];
  return (
    <div className="grid items-start gap-8 lg:grid-cols-[1fr_24rem]">
      <div className="grid gap-6">
        <div>
          <h2 className="text-lg font-semibold tracking-tight">{t.ready}</h2>
          <p className="mt-1 max-w-lg text-muted">{t.readyHint}</p>
        </div>
        <Card>
          <StepList done={steps.length} isRunning={false} />
        </Card>
        <Card title={t.next}>
          <ul className="-mx-2 -my-1 grid">
            <NextLink to={`/bots/${demo.botId}`} icon={Bot} label={t.openBot} />
            <NextLink to={`/teams/${demo.teamId}`} icon={Users} label={t.openTeam} />
          </ul>
        </Card>
      </div>
      <Phone device={demo.device} title={t.demo.team} suggestions={questions} />
    </div>
  );
}

const NextLink = ({ to, icon: Icon, label }: { to: string; icon: LucideIcon; label: string }) => (
  <li>
    <Link to={to} className="flex items-center gap-2.5 rounded-lg px-2 py-2 font-medium hover:bg-hover">
      <Icon aria-hidden className="size-4 text-muted" />
      <span className="flex-1">{label}</span>
      <ChevronRight aria-hidden className="size-4 text-muted" />
    </Link>
  </li>
);
