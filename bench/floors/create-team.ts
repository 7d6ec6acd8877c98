import { randomUUID } from 'node:crypto';
import { serveFloor } from './floor.ts';

interface Body {
  user: { name: string; email: string; phone: string };
  team: { name: string; plan_name: string; quotas: { bots: number } };
}

/** Three inserts in one transaction: the team, its usage and its administrator. */
serveFloor(async (pool, { body }) => {
  const { user, team } = JSON.parse(body) as Body;
  const [teamId, userId] = [randomUUID(), randomUUID()];
  const client = await pool.connect();
  try {
    await client.query('begin');
    const teams = await client.query({
      name: 'team',
      text: `insert into teams (id, name, plan_name, paying, quota_bots) values ($1, $2, $3, true, $4)
             returning id, name, plan_name, paying, banned, created_at, updated_at`,
      values: [teamId, team.name, team.plan_name, team.quotas.bots],
    });
    await client.query({
      name: 'usage',
      text: 'insert into team_usage (team_id, members) values ($1, 1)',
      values: [teamId],
    });
    const users = await client.query({
      name: 'user',
      text: `insert into users (id, team_id, name, email, phone) values ($1, $2, $3, $4, $5)
             returning id, name, email, phone, created_at`,
      values: [userId, teamId, user.name, user.email, user.phone],
    });
    await client.query('commit');
    return { success: true, data: { team: teams.rows[0], user: users.rows[0] } };
  } finally {
    client.release();
  }
});
