/** Credits of one answer, by the bot's `chat_model_level`. */
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
