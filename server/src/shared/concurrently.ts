/** Runs `work` over all items, at most `width` at a time. Rejects with the first failure, after the others have ended. */
export async function concurrently<Item>(
  items: Iterable<Item>,
  width: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = Array.from(items).values();
  const lane = async () => {
    for (const item of queue) await work(item);
  };
  const lanes = await Promise.allSettled(Array.from({ length: width }, lane));
  const failed = lanes.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
