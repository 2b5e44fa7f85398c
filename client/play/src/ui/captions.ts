// Captions of the panel: what one sees with these settings.

export interface Situation {
  readonly isPredicting: boolean;
  readonly canPredict: boolean;
  readonly isSmoothing: boolean;
  readonly isInterpolating: boolean;
  readonly hasGhost: boolean;
  readonly rtt: number; // ms
  readonly behind: number; // ms
  readonly ahead: number; // ms
  readonly loss: number; // part that the page drops
  readonly jitter: number; // ms
}

interface Caption {
  readonly holds: (of: Situation) => boolean;
  readonly text: (of: Situation) => string;
}

const ms = (value: number): string => `${Math.round(value)} ms`;

const captions: readonly Caption[] = [
  {
    holds: ({ canPredict }) => !canPredict,
    text: ({ rtt, behind }) =>
      `No prediction: your avatar is shown like all others, ${ms(behind)} in the past. A step needs ${ms(rtt + behind)} to show.`,
  },
  {
    holds: ({ canPredict, isPredicting }) => canPredict && isPredicting,
    text: ({ ahead }) =>
      `Prediction: the page runs the server's own rules ${ms(ahead)} ahead, so your avatar answers in the next frame.`,
  },
  {
    holds: ({ canPredict, isPredicting }) => canPredict && !isPredicting,
    text: ({ rtt, behind }) =>
      `Prediction is off: a key reaches the server, and its effect shows ${ms(rtt + behind)} later. Feel the delay.`,
  },
  {
    holds: ({ hasGhost }) => hasGhost,
    text: () => "The blue ghost is the server's newest word about you. It runs behind your own avatar, and decides.",
  },
  {
    holds: ({ isInterpolating }) => isInterpolating,
    text: ({ behind }) => `Others are shown ${ms(behind)} ago, between two received states: they glide. Tags are judged by that picture.`,
  },
  {
    holds: ({ isInterpolating }) => !isInterpolating,
    text: () => "Interpolation is off: others jump with each tick that arrives. The server still judges tags by the smooth picture.",
  },
  {
    holds: ({ loss }) => loss > 0,
    text: () => "Loss: the page drops datagrams in both directions. Deltas need no resending, as the next one is encoded against what you have.",
  },
  {
    holds: ({ jitter }) => jitter > 0,
    text: () => "Jitter: the clock gives others a larger delay, until nearly all deltas come in time.",
  },
  {
    holds: ({ isPredicting, isSmoothing }) => isPredicting && !isSmoothing,
    text: () => "Smoothing is off: a correction shows as a jump.",
  },
];

const shownMax = 4;

export function captionsOf(situation: Situation): string[] {
  return captions
    .filter(({ holds }) => holds(situation))
    .slice(0, shownMax)
    .map(({ text }) => text(situation));
}
