const greenRack =
  'Yes, at any hour. Lock the bike to a green night rack and drop the key into the box beside the door.';
const shops =
  'Our main shop is at 14 Quay Street, opposite the ferry terminal. We also have a shop in the railway station and a summer kiosk at Alder Beach.';
const prices =
  'A city bike costs 4 euros for the first hour and at most 16 euros a day, an electric bike 9 euros and at most 38, a cargo bike 12 euros and at most 49.';
const hours =
  'Quay Street is open from 8 to 19 on weekdays and from 9 to 18 at weekends, the station shop from 6:30 to 21 every day.';
const booking =
  'Tell us the day, the time and the kind of bike in this chat, or book in the app, up to 60 days ahead.';
const cancelling =
  'Cancelling is free until 24 hours before the rental begins. Later, we charge half of the first day.';
const contact =
  'Call +1 555 010 4477, write to hello@lumenbikes.example or stay in this chat. We answer within two hours while a shop is open.';
const payment = 'By debit card, by credit card or with the Lumen app. We do not take cash.';
const breakdown =
  'Please call our breakdown line at +1 555 010 4477, from 7 to 22 every day. A flat tyre is repaired free of charge.';
const lostKey = 'Please call us at +1 555 010 4477. We bring the second key; a lost key costs 25 euros.';
const pets = 'Small dogs may ride in the basket or in a cargo bike. A dog trailer costs 6 euros a day.';
const children =
  'Children under 16 ride with an adult. We have children’s bikes, and child seats for 3 euros a day.';
const delivery = 'Yes, to hotels in Port Alder, for 10 euros. Please order a day ahead.';
const tours =
  'Yes, every Saturday at 10 from Quay Street: three hours along the coast for 25 euros, bike included.';

/** The question/answer pairs of the demo's bot. Further wordings of a question have the same answer. */
export const rentalQuestions = [
  ['Do you lend helmets?', 'Yes, a helmet is included with every bike.'],
  ['Where are you?', shops],
  ['Where is your shop?', shops],
  ['What is your address, and where are you located?', shops],
  ['How much does it cost to rent a bike?', prices],
  ['What are your prices?', prices],
  ['What does a bike cost per day?', prices],
  ['When are you open?', hours],
  ['What are your opening hours?', hours],
  ['How do I book a bike?', booking],
  ['Can I reserve a bike?', booking],
  ['I want to rent a bike', booking],
  ['How do I cancel my booking?', cancelling],
  ['Can I cancel my reservation?', cancelling],
  ['How can I contact you?', contact],
  ['What is your phone number or e-mail address?', contact],
  ['Can I talk to a human?', contact],
  ['How can I pay?', payment],
  ['What payment methods do you accept?', payment],
  ['Can I pay in cash?', payment],
  ['What happens if the bike breaks down?', breakdown],
  ['I have a flat tire', breakdown],
  ['What if I lose the key?', lostKey],
  ['Can I bring my dog?', pets],
  ['Do you have bikes for children?', children],
  ['Can my kids ride along?', children],
  ['Do you deliver bikes to my hotel?', delivery],
  ['Do you offer guided tours?', tours],
  ['Can I return the bike at night?', greenRack],
  ['Can I return the bike at another shop?', 'Yes, at each of our shops, without an extra charge.'],
  ['Do you require a deposit?', 'Yes. We reserve it on your card and release it within three working days.'],
].map(([question = '', answer = '']) => ({ question, answer }));
