import { useState } from "preact/hooks";
import type { Body, Item } from "../sdk.js";
import { cw } from "../client.js";
import { href } from "../route.js";
import { type Role, contains, may, person } from "../session.js";
import { type Text, day, t, word } from "../text/text.js";
import { Confirm, Open } from "../ui/dialog.js";
import { Field, Form, Secret } from "../ui/form.js";
import { List } from "../ui/list.js";
import { Badge, Page, ToDo } from "../ui/page.js";

const roles: readonly (readonly [Role, Text])[] = [
  ["viewer", "sees everything, changes nothing"], ["developer", "changes all but members and live keys"],
  ["admin", "changes everything, members too"], ["owner", "changes everything, and is never removed last"],
];

/** The people of the account. */
export function Members() {
  const [turn, setTurn] = useState(0);
  const [link, setLink] = useState<string>();
  const again = () => setTurn((n) => n + 1);
  const invite = async (body: Body<"invite-member">) => {
    setLink((await cw.inviteMember(body)).link ?? undefined);
    again();
  };
  return (
    <Page title={t("Members")} actions={may("manage") && <a href={href("/audit")}>{t("Who changed what")}</a>}>
      {may("manage") && <Invite invite={invite} />}
      {link && <><p>{t("The link works for seven days, once. No mail is set up: hand it on.")}</p><Secret text={link} /></>}
      <List
        name={t("Members")} deps={[turn]} load={(page) => cw.listMembers(page)} id={(one) => one.id} empty={<ToDo text="Nobody is here. Invite somebody above." />}
        columns={[
          { head: t("Name"), cell: (one) => <>{one.name || "–"} {one.id === person().person.id && <small>{t("you")}</small>}</> },
          { head: t("E-mail"), cell: (one) => one.email },
          { head: t("Role"), cell: (one) => word(one.role) },
          { head: t("Status"), cell: (one) => <Badge of={one.status} /> },
          { head: t("Since"), cell: (one) => day(one.joined_at ?? one.invited_at) },
          { head: t("Actions"), cell: (one) => may("manage") && contains(one.role) && <Actions member={one} done={again} /> },
        ]}
      />
    </Page>
  );
}

const RoleField = ({ chosen }: { chosen?: string }) => (
  <Field name="role" label={t("Role")}>{roles.filter(([role]) => contains(role)).map(([role, text]) => <option value={role} selected={role === chosen} key={role}>{word(role)}: {t(text)}</option>)}</Field>
);

function Invite({ invite }: { invite: (body: Body<"invite-member">) => Promise<void> }) {
  return (
    <Form
      name={t("Invite somebody")} button={t("Invite")} inline
      submit={(values) => invite({ email: values.text("email"), role: values.text("role") as Role, locale: person().person.locale })}
    >
      <Field name="email" label={t("E-mail")} type="email" required />
      <RoleField />
    </Form>
  );
}

function Actions({ member, done }: { member: Item<"list-members">; done: () => void }) {
  return (
    <div class="bar">
      <Open button={t("Change the role")} title={t("Change the role")}>
        {(close) => (
          <Form
            name={t("Change the role")} button={t("Save")} keep
            submit={async (values) => {
              await cw.patchMember(member.id, { role: values.text("role") as Role });
              close();
              done();
            }}
          >
            <RoleField chosen={member.role} />
          </Form>
        )}
      </Open>
      <Confirm button={t("Remove")} question={t("The person is signed out of this account at once.")} act={() => cw.deleteMember(member.id).then(done)} />
    </div>
  );
}
