export function answerCost(chatModelLevel: number): number {
  switch (chatModelLevel) {
    case 1:
      return 1;
    case 2:
      return 2;
    default:
      return 4;
  }
}
