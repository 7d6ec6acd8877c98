/** A file that hangs fails the run after this time. */
export const fileTimeoutMs = 15 * 60_000;

// The time limit of Node's runner ends with the last test of a file, not with its process. This one is loaded into it.
if (process.env['NODE_TEST_CONTEXT'] !== undefined) {
  setTimeout(() => {
    const held = process.getActiveResourcesInfo().join(', ');
    process.stderr.write(
      `${process.argv[1]} still runs after ${fileTimeoutMs / 60_000} minutes; it holds ${held}\n`,
    );
    process.exit(1);
  }, fileTimeoutMs).unref();
}
