import { TEXTS } from "../texts.ts";
import { Fact } from "../ui/fact.tsx";
import { Ago } from "../ui/moment.tsx";
import { Answer } from "../ui/states.tsx";
import { useInstanceState } from "./use-instance-state.ts";

/** How this hub is set up and what is in it. */
export function InstanceState() {
  const state = useInstanceState();
  const { admin } = TEXTS;
  return (
    <Answer of={state}>
      {({ version, url, organization, log, token_counts, verified_backup, server }) => (
        <dl className="facts wide card">
          <Fact name={admin.version}>{version}</Fact>
          <Fact name={admin.address}>{url}</Fact>
          <Fact name={admin.organization}>
            {organization.name} ({organization.id})
          </Fact>
          <Fact name={admin.log}>{admin.logAt(log.head)}</Fact>
          <Fact name={admin.tokens}>
            {admin.tokenCounts(token_counts.live, token_counts.expired, token_counts.revoked)}
          </Fact>
          <Fact name={admin.backup}>
            {verified_backup === null ? admin.noBackup : <Ago at={verified_backup.verified_at} />}
          </Fact>
          {Object.entries(server).map(([name, value]) => (
            <Fact key={name} name={name.replaceAll("_", " ")}>
              {shown(value)}
            </Fact>
          ))}
        </dl>
      )}
    </Answer>
  );
}

function shown(value: unknown): string {
  if (value === null || value === undefined || value === "") return TEXTS.admin.none;
  if (Array.isArray(value)) return value.length === 0 ? TEXTS.admin.none : value.join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}
