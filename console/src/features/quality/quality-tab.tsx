import type { BotDetail } from '@parley/sdk';
import { CasesCard } from './cases-card.tsx';
import { GateCard } from './gate-card.tsx';
import { HealthCard } from './health-card.tsx';
import { RunsCard } from './runs-card.tsx';
import { TestersCard } from './testers-card.tsx';

/** What must hold for the answers of a bot, whether it does, and whether a draft may be published. */
export function QualityTab({
  bot,
  isChanged,
  shown,
  onShow,
}: {
  bot: BotDetail;
  /** Whether the editor has changes that are not stored. A run would not see them. */
  isChanged: boolean;
  /** The case and the run that the address names. */
  shown: { case?: string | undefined; run?: string | undefined };
  onShow: (shown: { case?: string | undefined; run?: string | undefined }) => void;
}) {
  return (
    <div className="grid grid-cols-1 gap-4">
      <CasesCard
        bot={bot}
        shownCase={shown.case}
        onShowCase={(id) => onShow({ ...shown, case: id })}
        isChanged={isChanged}
        onRun={(run) => onShow({ run })}
      />
      <RunsCard
        botId={bot.id}
        botName={bot.name}
        shownRun={shown.run}
        onShowRun={(run) => onShow({ run })}
        onShowCase={(id) => onShow({ ...shown, case: id })}
      />
      <GateCard botId={bot.id} />
      <TestersCard botId={bot.id} />
      <HealthCard botId={bot.id} />
    </div>
  );
}
