import type { ReactNode } from 'react';
import { cn } from '../lib/class-names.ts';

/** A part of the chart: one of its colours. */
export interface ChartSeries {
  name: string;
  /** With the total. */
  label: string;
  background: string;
}

/** One step of the time axis, 10 units wide. The height of the chart is 100 units. */
export interface ChartStep {
  key: string;
  title: string;
  bars: readonly { name: string; x: number; width: number; y: number; height: number; fill: string }[];
}

/** Bars over time with a legend and the highest value. `axis` labels the steps. */
export function BarChart({
  label,
  series,
  highest,
  steps,
  axis,
}: {
  label: string;
  series: readonly ChartSeries[];
  highest: string;
  steps: readonly ChartStep[];
  axis: ReactNode;
}) {
  return (
    <figure>
      <figcaption className="mb-6 flex flex-wrap gap-x-5 gap-y-1 text-[0.8125rem]">
        {series.map(({ name, label: text, background }) => (
          <span key={name} className="flex items-center gap-2">
            <span aria-hidden className={cn('size-2.5 rounded-xs', background)} />
            {text}
          </span>
        ))}
      </figcaption>
      <div className="relative">
        <span aria-hidden className="absolute -top-5 right-0 text-muted text-xs tabular-nums">
          {highest}
        </span>
        <svg
          role="img"
          aria-label={`${label}. ${series.map((each) => each.label).join(', ')}`}
          viewBox={`0 0 ${steps.length * 10} 100`}
          preserveAspectRatio="none"
          className="h-44 w-full border-y"
        >
          {steps.map(({ key, title, bars }, position) => (
            <g key={key}>
              <title>{title}</title>
              <rect x={position * 10} width={10} height={100} className="fill-transparent hover:fill-hover" />
              {bars.map(({ name, x, width, y, height, fill }) => (
                <rect key={name} x={position * 10 + x} width={width} y={y} height={height} className={fill} />
              ))}
            </g>
          ))}
        </svg>
        {axis}
      </div>
    </figure>
  );
}
