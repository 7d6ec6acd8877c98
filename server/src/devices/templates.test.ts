import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type CloudNumber, newPerson, startCloudApp } from '../../test/cloud-numbers.ts';
import { addDevice, addTeamWithBot, waitForDevice } from '../../test/devices.ts';
import { eventually } from '../../test/eventually.ts';

const app = await startCloudApp();
const { api, graph } = app;
await app.startPool();

const ready = {
  name: 'order_ready',
  language: 'en',
  category: 'utility',
  body: 'Your order {{1}} is ready.',
  examples: ['4711'],
};

const create = async ({ deviceId }: CloudNumber, template: object = ready) => {
  const { status, body } = await api('POST', `/devices/${deviceId}/templates`, { body: template });
  return { status, data: body.data, details: body.details, message: body.error };
};

const untilState = (number: CloudNumber, name: string, state: string) =>
  eventually(async () => {
    const { data } = (await api('GET', `/devices/${number.deviceId}/templates`)).body;
    const found = data.find((template: { name: string }) => template.name === name);
    assert.equal(found?.state, state);
    return found;
  });

const approved = async (number: CloudNumber, template: { name: string } & object = ready) => {
  assert.equal((await create(number, template)).status, 200);
  await graph.review(number.phone, template.name, 'APPROVED');
  return untilState(number, template.name, 'approved');
};

const send = async (number: CloudNumber, more: object) => {
  const person = newPerson();
  const { status, body } = await api('POST', '/send', {
    body: {
      device_id: number.deviceId,
      destination_number: `+${person.wa_id}`,
      message: 'Your order 17 is ready.',
      ...more,
    },
  });
  return { status, data: body.data, details: body.details ?? body.error?.details };
};

test('a template is reviewed, reported as an event, and sent outside the window', async () => {
  const number = await app.addNumber();
  const { data } = await create(number);
  assert.deepEqual([data.state, data.variables, data.device_id], ['pending', 1, number.deviceId]);
  const template = { name: ready.name, language: 'en', parameters: ['17'] };
  const early = await send(number, { template });
  assert.deepEqual([early.status, early.details.issues[0].path], [400, 'template']);
  await graph.review(number.phone, ready.name, 'APPROVED');
  await untilState(number, ready.name, 'approved');
  const { body } = await api('GET', `/events?team_id=${number.teamId}&types=template.updated`);
  assert.deepEqual(body.data[0]?.data.state, 'approved');
  const sent = await send(number, { template });
  assert.equal(sent.status, 200, JSON.stringify(sent));
  await eventually(async () => {
    const message = (await api('GET', `/messages/${sent.data.messageId}`)).body.data;
    assert.deepEqual(
      [message.status, message.pricing.category, message.pricing.billable],
      ['delivered', 'utility', true],
    );
    assert.deepEqual(message.template, template);
  });
  const [taken] = await graph.sent(number.phone);
  assert.deepEqual(taken?.body['template'], {
    name: ready.name,
    language: { code: 'en' },
    components: [{ type: 'body', parameters: [{ type: 'text', text: '17' }] }],
  });
});

test('validates the variables of a template', async () => {
  const number = await app.addNumber();
  await approved(number);
  for (const [parameters, path] of [
    [[], 'template.parameters'],
    [['1', '2'], 'template.parameters'],
    [['two\nlines'], 'template.parameters[0]'],
    [['five     spaces'], 'template.parameters[0]'],
  ] as const) {
    const { status, details } = await send(number, {
      template: { name: ready.name, language: 'en', parameters },
    });
    assert.deepEqual([status, details.issues?.[0]?.path], [400, path]);
  }
  const other = await send(number, { template: { name: ready.name, language: 'de', parameters: ['1'] } });
  assert.equal(other.details.issues[0].path, 'template');
  const combined = await send(number, {
    template: { name: ready.name, language: 'en', parameters: ['1'] },
    send_as_audio: true,
  });
  assert.equal(combined.details.issues[0].path, 'send_as_audio');
  assert.equal(
    (await create(number, { ...ready, name: 'no_example', examples: [] })).details.issues[0].path,
    'examples',
  );
});

test('window_closed names the templates that would do, and the default template carries the text', async () => {
  const number = await app.addNumber();
  const notice = { ...ready, name: 'notice', body: 'News: {{1}} See you.', examples: ['We open.'] };
  await approved(number, notice);
  const refused = await send(number, {});
  assert.deepEqual(refused.details.templates, [{ name: 'notice', language: 'en' }]);
  const patch = (default_template: object | null) =>
    api('PATCH', `/devices/${number.deviceId}`, { body: { default_template } });
  assert.equal((await patch({ name: 'unknown', language: 'en' })).status, 400);
  const changed = await patch({ name: 'notice', language: 'en' });
  assert.deepEqual(changed.body.data.default_template, { name: 'notice', language: 'en' });
  const sent = await send(number, { message: 'Your order\n17 is ready.' });
  assert.equal(sent.status, 200, JSON.stringify(sent));
  const taken = (await graph.sent(number.phone))[0]?.body['template'] as {
    components: { parameters: { text: string }[] }[];
  };
  assert.equal(taken.components[0]?.parameters[0]?.text, 'Your order 17 is ready.');
  await graph.review(number.phone, 'notice', 'PAUSED');
  await untilState(number, 'notice', 'paused');
  assert.equal((await send(number, {})).details.reason, 'window_closed');
  await graph.review(number.phone, 'notice', 'APPROVED');
  await untilState(number, 'notice', 'approved');
  assert.equal((await send(number, {})).status, 200);
  assert.equal((await patch(null)).body.data.default_template, undefined);
  assert.equal((await send(number, {})).details.reason, 'window_closed');
});

test('creating is repeatable, and deleting ends the template at the network', async () => {
  const number = await app.addNumber();
  const [first, again] = [await create(number), await create(number)];
  assert.deepEqual([first.status, again.status, again.data.id], [200, 200, first.data.id]);
  const other = await create(number, { ...ready, body: 'Another {{1}} text.' });
  assert.deepEqual([other.status, other.details.reason], [400, 'template_refused']);
  assert.match(other.message, /refused the template: There is already content in this language/);
  const removed = await api('DELETE', `/devices/${number.deviceId}/templates/${first.data.id}`);
  assert.equal(removed.status, 200);
  const audited = (await api('GET', `/audit-log?object_id=${first.data.id}`)).body.data;
  assert.deepEqual(
    audited.map(({ operation }: { operation: string }) => operation),
    ['deleteTemplate', 'createTemplate'],
  );
  assert.equal((await api('DELETE', `/devices/${number.deviceId}/templates/${first.data.id}`)).status, 404);
  assert.equal((await api('DELETE', `/devices/${number.deviceId}/templates/x`)).status, 404);
  assert.deepEqual((await api('GET', `/devices/${number.deviceId}/templates`)).body.data, []);
  assert.equal((await create(number, { ...ready, body: 'Another {{1}} text.' })).status, 200);
});

test('a rejected template shows the reason of the network', async () => {
  const number = await app.addNumber();
  assert.equal((await create(number)).data.reason, null);
  await graph.review(number.phone, ready.name, 'REJECTED', { reason: 'TAG_CONTENT_MISMATCH' });
  assert.equal((await untilState(number, ready.name, 'rejected')).reason, 'tag_content_mismatch');
  const { body } = await api('GET', `/events?team_id=${number.teamId}&types=template.updated`);
  assert.equal(body.data[0]?.data.reason, 'tag_content_mismatch');
});

test('learns at the next connection what the network did not push', async () => {
  const number = await app.addNumber();
  await approved(number);
  await graph.review(number.phone, ready.name, 'PAUSED', { silent: true });
  const paused = await send(number, { template: { name: ready.name, language: 'en', parameters: ['1'] } });
  assert.equal(paused.details.reason, 'template_refused');
  await api('POST', `/devices/${number.deviceId}/stop`);
  await api('POST', `/devices/${number.deviceId}/connect`);
  await untilState(number, ready.name, 'paused');
});

test('shows what the network last decided, however its events are repeated and reordered', async () => {
  const number = await app.addNumber();
  const states = { APPROVED: 'approved', REJECTED: 'rejected', PAUSED: 'paused' } as const;
  const review = fc.constantFrom('APPROVED' as const, 'REJECTED' as const, 'PAUSED' as const);
  const delivery = fc.record({
    copies: fc.integer({ min: 1, max: 3 }),
    reverse: fc.integer({ min: 2, max: 5 }),
  });
  assert.equal((await create(number)).status, 200);
  await fc.assert(
    fc.asyncProperty(fc.array(review, { minLength: 1, maxLength: 6 }), delivery, async (reviews, how) => {
      await graph.deliver(how);
      for (const status of reviews) await graph.review(number.phone, ready.name, status);
      await graph.deliver({ copies: 1, reverse: 0 });
      await untilState(number, ready.name, states[reviews.at(-1) ?? 'APPROVED']);
    }),
    { numRuns: 10 },
  );
});

test('connects with templates that Parley cannot fill, and sends none of them', async () => {
  const number = await app.addNumber();
  const body = { type: 'BODY', text: 'News: {{1}} See you.' };
  const unfillable = {
    picture: [{ type: 'HEADER', format: 'IMAGE' }, body],
    title: [{ type: 'HEADER', format: 'TEXT', text: 'For {{1}}' }, body],
    link: [body, { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Open', url: 'https://x.test/{{1}}' }] }],
    named: [{ type: 'BODY', text: 'News: {{news}} See you.' }],
  };
  const { access_token: token, waba_id: waba } = number.credentials;
  for (const [name, components] of Object.entries(unfillable)) {
    const created = await fetch(`${graph.url}/${waba}/message_templates`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify({ name, language: 'en', category: 'UTILITY', components }),
    });
    assert.equal(created.status, 200);
    await graph.review(number.phone, name, 'APPROVED', { silent: true });
  }
  assert.equal((await create(number, { ...ready, name: 'fixed', body: 'Hello.', examples: [] })).status, 200);
  await graph.review(number.phone, 'fixed', 'APPROVED', { silent: true });
  await api('POST', `/devices/${number.deviceId}/stop`);
  await api('POST', `/devices/${number.deviceId}/connect`);
  await waitForDevice(app, number.deviceId, ({ connected }) => connected === true);
  for (const name of Object.keys(unfillable))
    assert.equal((await untilState(number, name, 'approved')).variables, null);
  const template = { name: 'picture', language: 'en', parameters: ['1'] };
  const refused = await send(number, { template });
  assert.deepEqual([refused.status, refused.details.issues[0].path], [400, 'template']);
  assert.deepEqual((await send(number, {})).details.templates, []);
});

test('devices of other networks have no templates', async () => {
  const deviceId = await addDevice(app, await addTeamWithBot(app.context.db));
  assert.deepEqual((await api('GET', `/devices/${deviceId}/templates`)).body.data, []);
  const { body } = await api('POST', `/devices/${deviceId}/templates`, { body: ready });
  assert.equal(body.details.reason, 'templates_unsupported');
});
