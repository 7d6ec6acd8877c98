/** A chapter of the handbook: its heading and paragraphs. */
export interface Chapter {
  heading: string;
  paragraphs: readonly string[];
}

export const handbookTitle = 'Lumen Bikes Rental Handbook';

export const handbook: readonly Chapter[] = [
  {
    heading: 'Welcome to Lumen Bikes',
    paragraphs: [
      'Lumen Bikes rents city bikes, electric bikes and cargo bikes from three shops in the harbour town of Port Alder. This handbook tells you everything that you need to know before you ride, while you ride and when you bring your bike back. It applies to every rental that begins on or after 1 March.',
      'Our main shop stands at 14 Quay Street, opposite the ferry terminal. The second shop is inside the central railway station, next to platform 1. The third, our summer kiosk, is at the northern end of Alder Beach. You may pick up a bike at one shop and return it at another without an extra charge, as long as both shops are open on that day.',
    ],
  },
  {
    heading: 'Opening hours',
    paragraphs: [
      'The shop at Quay Street is open from Monday to Friday between 8 in the morning and 7 in the evening, and on Saturdays and Sundays between 9 in the morning and 6 in the evening. The station shop opens every day at 6:30 in the morning, so that commuters can fetch a bike before the first train leaves, and closes at 9 in the evening.',
      'The beach kiosk is open from May to September only, every day from 10 in the morning until sunset. In heavy rain or when the wind is stronger than 70 kilometres per hour, the kiosk stays closed; the display at its door then names the nearest open shop. All shops are closed on 25 December and on 1 January.',
      'You can return a bike at any hour of the day. Outside opening hours, lock it to one of the green night racks in front of the shop and drop the key into the steel box beside the door. Your rental then ends at the minute in which the key falls into the box.',
    ],
  },
  {
    heading: 'Bikes and prices',
    paragraphs: [
      'A city bike costs 4 euros for the first hour and 2 euros for every hour after that, but never more than 16 euros for a day of 24 hours. An electric bike costs 9 euros for the first hour, 5 euros for every further hour, and at most 38 euros a day. A cargo bike, which carries up to two children or 80 kilograms of luggage, costs 12 euros for the first hour and at most 49 euros a day.',
      'Rent for a whole week and you pay for five days only. Students and pensioners receive a discount of 20 percent when they show a valid card. Groups of eight riders or more receive 15 percent, and the group leader rides for free. Discounts cannot be combined.',
      'The price always includes a helmet, a lock, lights and the insurance against theft described below. A child seat costs 3 euros a day, a rain cape 2 euros, and a pair of panniers 4 euros.',
    ],
  },
  {
    heading: 'Deposit and payment',
    paragraphs: [
      'The deposit is 50 euros for a city bike, 150 euros for an electric bike and 200 euros for a cargo bike. We reserve it on your card when you pick up the bike and release it within three working days after its return. We do not accept the deposit in cash.',
      'You can pay by debit card, credit card or with the Lumen app. Companies may ask for a monthly invoice; it is due fourteen days after it was issued. Your receipt is sent by e-mail as soon as the rental has ended.',
    ],
  },
  {
    heading: 'Who may ride',
    paragraphs: [
      'To rent a bike you must be at least 16 years old; for an electric bike or a cargo bike the minimum age is 18 years. Please bring an identity card or a passport. Younger riders may use our children’s bikes when an adult rents them and rides along.',
      'Every rider needs to be taller than 1 metre 45 for a city bike. Our staff adjusts the saddle and explains the brakes before you set off. Riding after drinking alcohol is forbidden and ends your insurance at once.',
    ],
  },
  {
    heading: 'Reservation and cancellation',
    paragraphs: [
      'You may reserve a bike up to 60 days ahead, in the app, by message or at the counter. We hold a reserved bike for 45 minutes after the agreed time. If you are late, tell us, and we will hold it longer whenever nobody else is waiting.',
      'Cancelling is free until 24 hours before the rental begins. After that we charge half of the price of the first day. Those who do not appear at all, and do not tell us, pay for the first day in full. When the weather service issues a storm warning for Port Alder, you may cancel free of charge until the very last minute.',
      'To shorten a rental that has already begun, simply bring the bike back: you pay only for the hours that you used it. To extend one, send us a message at least one hour before it would have ended.',
    ],
  },
  {
    heading: 'What to do at a breakdown',
    paragraphs: [
      'Should the bike break down, stop at a safe place and call our breakdown line at +1 555 010 4477, which is answered from 7 in the morning until 10 in the evening on every day of the year. Tell us the number on the frame, a letter followed by four digits, and where you are. A mechanic reaches any place within the town limits in 40 minutes on average.',
      'A flat tyre is repaired free of charge. If we cannot repair the bike on the spot, we bring you another one of the same kind. When no other bike is left, we refund the whole price of that day and pay for a taxi up to 25 euros; please keep the receipt of the taxi.',
      'Do not try to open the battery or the motor of an electric bike. If the battery becomes hot, smells or smokes, move away at least ten metres and call the fire brigade first, then us.',
    ],
  },
  {
    heading: 'Accidents and theft',
    paragraphs: [
      'After an accident, look after the injured first and call the emergency services. Take photographs, write down the names of witnesses, and tell us on the same day. The insurance covers damage that you do to others up to 2 million euros. You yourself pay at most 100 euros for damage to the bike, provided that you did not cause it on purpose.',
      'If the bike is stolen, report it to the police within 24 hours and give us the number of their report together with the key. When you can hand over the key, you owe 150 euros towards the loss; without the key you owe the full value of the bike.',
    ],
  },
  {
    heading: 'Charging and range',
    paragraphs: [
      'A full battery takes an electric bike about 70 kilometres in the eco mode and 40 kilometres in the turbo mode. There are free charging points at all three shops, at the town library and at the lighthouse. An empty battery needs three and a half hours until it is full again. The charger stays in the shop unless you rent for two days or longer.',
      'Bring the bike back with at least 20 percent of charge. With less than that we add 5 euros to your bill, because the next rider would have to wait.',
    ],
  },
  {
    heading: 'Riding in Port Alder',
    paragraphs: [
      'The harbour promenade is closed to bikes between 11 in the morning and 5 in the afternoon during July and August. The coastal path to the lighthouse is 12 kilometres long, paved throughout and free of cars. Bikes travel free of charge on the ferry; on regional trains you need a bike ticket, which costs 3 euros 50 at any machine.',
      'You may take our bikes anywhere within 80 kilometres of Port Alder. Beaches, stairs and mountain trails are not allowed, since sand and salt water ruin the chain and the bearings.',
    ],
  },
  {
    heading: 'Lost property and contact',
    paragraphs: [
      'Whatever is found on a returned bike waits for you at Quay Street for 90 days. After that we give it to the town’s lost property office.',
      'Write to hello@lumenbikes.example or send a message to the number on your rental card; we answer within two hours while a shop is open. Complaints are read by the owner, Mara Lindqvist, in person, and you will have an answer after five working days at the latest.',
    ],
  },
];
