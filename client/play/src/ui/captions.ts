// Captions of the panel: what one sees with these settings.

export interface Situation {
  readonly isPredicting: boolean;
  readonly canPredict: boolean;
  readonly whyNoPrediction: string;
  readonly isSmoothing: boolean;
  readonly isInterpolating: boolean;
  readonly hasGhost: boolean;
  readonly rtt: number; // ms
  readonly behind: number; // ms
  readonly ahead: number; // ms
  readonly loss: number; // part that the page drops
  readonly jitter: number; // ms
  readonly rollbacks: number; // since the page was opened
}

interface Caption {
  readonly holds: (of: Situation) => boolean;
  readonly text: (of: Situation) => string;
}

const ms = (value: number): string => `${Math.round(value)} ms`;

const captions: readonly Caption[] = [
  {
    holds: ({ canPredict }) => !canPredict,
    text: ({ rtt, behind, whyNoPrediction }) =>
      `No prediction: ${whyNoPrediction}. Your avatar is shown like the others, ${ms(behind)} in the past. A step shows after ${ms(rtt + behind)}.`,
  },
  {
    holds: ({ canPredict, isPredicting }) => canPredict && isPredicting,
    text: ({ ahead }) =>
      `Prediction: the page runs the server's rules ${ms(ahead)} ahead of the server's newest state. Your avatar reacts in the next frame.`,
  },
  {
    holds: ({ canPredict, isPredicting }) => canPredict && !isPredicting,
    text: ({ rtt, behind }) =>
      `Prediction is off: a key first goes to the server, so your avatar reacts ${ms(rtt + behind)} later.`,
  },
  {
    holds: ({ hasGhost }) => hasGhost,
    text: () => "Server's ghost: the blue figure is where the server's newest state has you. Your own avatar is ahead of it.",
  },
  {
    holds: ({ isInterpolating }) => isInterpolating,
    text: ({ behind }) =>
      `Interpolation: others are shown where they were ${ms(behind)} ago, between two received states. The server judges your tags by this picture.`,
  },
  {
    holds: ({ isInterpolating }) => !isInterpolating,
    text: () => "Interpolation is off: others jump with each tick that arrives. The server still judges your tags by the interpolated picture.",
  },
  {
    holds: ({ loss }) => loss > 0,
    text: () => "Loss: the page drops datagrams in both directions. A lost delta is not sent again: the next one has its changes too.",
  },
  {
    holds: ({ jitter }) => jitter > 0,
    text: () => "Jitter: datagrams arrive unevenly. The page shows others further in the past, so that most datagrams arrive before they are shown.",
  },
  {
    holds: ({ isPredicting, isSmoothing }) => isPredicting && !isSmoothing,
    text: () => "Smoothing is off: a correction shows as a jump.",
  },
  {
    holds: ({ isPredicting, isSmoothing }) => isPredicting && isSmoothing,
    text: () => "Smoothing: after a misprediction your avatar glides to the right place.",
  },
  {
    holds: ({ isPredicting, rollbacks }) => isPredicting && rollbacks > 0,
    text: () =>
      "Rollback: the page replays ticks with news of the server, such as the tick that a command ran in. Only a different result is a misprediction.",
  },
];

export function captionsOf(situation: Situation): string[] {
  return captions
    .filter(({ holds }) => holds(situation))
    .map(({ text }) => text(situation));
}
