import { Type } from 'typebox';
import { because } from './because.ts';

/** Why the network of a device refuses a request, or does not have what it asks for. */
export const networkReasons = {
  network_cannot_initiate: because(
    400,
    'The network of the device lets contacts write first.',
    'Answer with `POST /conversations/{id}/messages`.',
  ),
  network_disabled: because(
    400,
    'The deployment no longer enables the network of the device.',
    'Add the network to `MESSAGING_NETWORK` and restart.',
  ),
  pairing_code_unsupported: because(
    400,
    'The network of the device has no pairing codes.',
    'Connect without `pairing_phone_number` and scan the QR code.',
  ),
  credentials_unsupported: because(
    400,
    'The network of the device has no credentials.',
    'Connect the device, and scan its code.',
  ),
  credentials_missing: because(
    400,
    'The device has no credentials.',
    'Store them with `PUT /devices/{id}/credentials`.',
  ),
  window_closed: because(
    400,
    'The contact has not written to the device within 24 hours, and the network takes only templates from it.',
    'Send one of `details.templates`, give the device a default template, or wait until the contact writes.',
    {
      templates: Type.Array(Type.Object({ name: Type.String(), language: Type.String() }), {
        description: 'Approved templates whose only variable could take the text. At most 20.',
      }),
    },
  ),
  template_not_found: because(404, 'The device has no such template.', 'List its templates.'),
  templates_unsupported: because(400, 'The network of the device has no templates.', 'Send the text itself.'),
  network_unavailable: because(
    500,
    'The network did not take the request.',
    'Retry later. A repeated request has the same result.',
  ),
  template_refused: because(
    400,
    'The network refuses the template.',
    'Read its state with `GET /devices/{id}/templates`, and compare its variables with the parameters.',
  ),
};
