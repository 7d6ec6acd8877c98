import S3rver from '@20minutes/s3rver';

const [directory = '', ...buckets] = process.argv.slice(2);
const server = new S3rver({
  address: '127.0.0.1',
  port: 0,
  silent: true,
  // It calculates the signature of `/bucket/` as that of `/bucket`.
  allowMismatchedSignatures: true,
  directory,
  configureBuckets: buckets.map((name) => ({ name, configs: [] })),
});
const { port } = await server.run();
process.stdout.write(`${port}\n`);
