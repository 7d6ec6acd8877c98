import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, describe, it } from 'node:test';
import { startS3Server, takeBucket } from '../../../test/s3-server.ts';
import { readConfig } from '../../process/config.ts';
import { createFileStore } from './create-file-store.ts';
import { describeFileStore, listKeys } from './file-store.contract.ts';
import { createS3FileStore } from './s3.ts';

const server = await startS3Server();
after(server.close);

const openBucket = (bucket: string) => createFileStore(readConfig(server.environment(bucket)));

// This server writes objects in place, unlike the service and other servers.
describeFileStore('s3', async () => openBucket(takeBucket()), { writesInPlace: true });

describe('the S3 file store', () => {
  it('rejects every operation if the bucket is missing', async () => {
    const store = openBucket('no-such-bucket');
    await assert.rejects(store.put('a', new Uint8Array([1])), /NoSuchBucket|does not exist/);
    await assert.rejects(store.get('a'), /NoSuchBucket|does not exist/);
    await assert.rejects(store.exists('a'), /NoSuchBucket|does not exist/);
    await assert.rejects(store.open('a'), /NoSuchBucket|does not exist/);
  });

  it('rejects every operation with a wrong access key', async () => {
    const environment = { ...server.environment(takeBucket()), S3_ACCESS_KEY_ID: 'wrong' };
    const store = createFileStore(readConfig(environment));
    await assert.rejects(store.put('a', new Uint8Array([1])), { name: 'InvalidAccessKeyId' });
    await assert.rejects(store.get('a'), { name: 'InvalidAccessKeyId' });
  });

  it('lists more keys than one page has', async () => {
    const config = readConfig(server.environment(takeBucket()));
    const store = createS3FileStore(
      {
        endpoint: config.S3_ENDPOINT,
        region: config.S3_REGION,
        bucket: config.S3_BUCKET ?? '',
        accessKeyId: 'S3RVER',
        secretAccessKey: 'S3RVER',
        forcePathStyle: true,
      },
      { pageSize: 2 },
    );
    const keys = ['team/a', 'team/b', 'team/c', 'team/d', 'team/e'];
    for (const key of keys) await store.put(key, new Uint8Array([1]));
    assert.deepEqual(await listKeys(store, 'team/'), keys);
  });

  it('shares objects with another process on the same bucket', async () => {
    const bucket = takeBucket();
    await openBucket(bucket).put('team/a', new Uint8Array([7]));
    assert.deepEqual([...((await openBucket(bucket).get('team/a')) ?? [])], [7]);
  });
});

/** Returns why Ceph's gateway cannot serve the tests on this machine. */
function findRadosgwObstacle(): string {
  const { stdout, error } = spawnSync('radosgw', ['--version'], { encoding: 'utf8' });
  if (error !== undefined) return 'radosgw is not installed';
  const version = /ceph version (\S+)/.exec(stdout)?.[1] ?? 'of an unknown version';
  return `radosgw ${version} needs a Ceph cluster, with a monitor and an object store, which the tests do not start`;
}

it('keeps the guarantees of the port on radosgw', { skip: findRadosgwObstacle() }, () => assert.fail());
