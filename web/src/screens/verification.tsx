import type { Body, Item } from "../sdk.js";
import { cw } from "../client.js";
import { may } from "../session.js";
import { t, word } from "../text/text.js";
import { Confirm, Open } from "../ui/dialog.js";
import { Act, Field, Form } from "../ui/form.js";
import { useEvery, useLoad } from "../ui/load.js";
import { Await, Badge, Empty, Page, ToDo } from "../ui/page.js";
import { NumberTabs } from "./numbers.js";

type Group = Item<"list-verification-groups">;

const every = 2000; // milliseconds between looks at what the carrier does

const underWay = ({ status, submitted_at: submitted, documents }: Group) => (status === "pending" && submitted !== null) || documents.some((one) => one.status === "stored");

const documents = ["company-registration", "proof-of-address", "copy-id"] as const;

/** Who orders numbers, with the proof of it. */
export function Verification() {
  const groups = useLoad(() => cw.listVerificationGroups({ limit: 100 }).first(), []);
  useEvery(every, groups.data?.data.some(underWay) ?? false, groups.reload);
  return (
    <Page
      title={t("Verification")}
      actions={may("write") && <Open button={t("New business")} title={t("New business")}>{(close) => <Create done={() => { groups.reload(); close(); }} />}</Open>}
    >
      <NumberTabs at="/verification" />
      <Await of={groups}>
        {({ data }) => data.length === 0 ? <Empty><ToDo text="Nobody is verified yet. Add your business, upload its three documents, and submit them." /></Empty> : (
          <>{data.map((group) => <GroupCard group={group} reload={groups.reload} key={group.verification_group_id} />)}</>
        )}
      </Await>
    </Page>
  );
}

function GroupCard({ group, reload }: { group: Group; reload: () => void }) {
  const id = group.verification_group_id;
  const open = group.status !== "approved" && (group.submitted_at === null || group.status === "rejected");
  return (
    <section class="card">
      <h2>{group.business_name} <Badge of={group.status} text={group.status === "pending" && group.submitted_at ? t("under review") : word(group.status)} /></h2>
      <p>{group.street_name} {group.house_number}, {group.postal_code} {group.city}</p>
      {[group.rejection_reason, group.address_error].filter(Boolean).map((what) => <p class="bad" key={what}>{what}</p>)}
      <ul>
        {group.documents.map((one) => (
          <li key={one.document_id} class="bar">
            <a href={one.file_url}>{word(one.document_type)}</a> <Badge of={one.status} /> {one.error && <span class="bad">{one.error}</span>}
            {open && may("write") && <Confirm button={t("Delete")} question={t("Upload another one in its place.")} act={() => cw.deleteVerificationDocument(id, one.document_id).then(reload)} />}
          </li>
        ))}
      </ul>
      {open && may("write") && <Upload id={id} business={group.business_name} reload={reload} />}
      <div class="bar">
        {open && may("write") && <Act key={group.documents.length} act={() => cw.submitVerificationGroup(id).then(reload)}>{t("Submit for review")}</Act>}
        {may("write") && <Confirm button={t("Delete the business")} question={t("Its documents are deleted too.")} act={() => cw.deleteVerificationGroup(id).then(reload)} />}
      </div>
    </section>
  );
}

function Upload({ id, business, reload }: { id: string; business: string; reload: () => void }) {
  return (
    <Form
      name={t("Upload a document for {business}", { business })} button={t("Upload")} inline
      submit={(values) => cw.uploadVerificationDocument(id, { document_type: values.text("document_type") as (typeof documents)[number], file: values.file("file") }).then(reload)}
    >
      <Field name="document_type" label={t("Document")}>{documents.map((one) => <option value={one} key={one}>{word(one)}</option>)}</Field>
      <Field name="file" label={t("File")} hint={t("PDF, JPG or PNG, at most 20 MiB.")} type="file" accept=".pdf,.jpg,.jpeg,.png" required />
    </Form>
  );
}

function Create({ done }: { done: () => void }) {
  const fields = {
    name: t("What you call it"), business_name: t("Name of the business, as it is registered"), contact_person_first_name: t("First name of the contact person"),
    contact_person_last_name: t("Last name of the contact person"), contact_person_phone: t("Dutch number of the contact person"), street_name: t("Street"),
    house_number: t("House number"), postal_code: t("Postal code"), city: t("City"), province: t("Province"),
  };
  const names = Object.keys(fields) as (keyof typeof fields)[];
  return (
    <Form
      name={t("New business")} button={t("Add")}
      submit={async (values) => {
        await cw.createVerificationGroup(Object.fromEntries(names.map((name) => [name, values.text(name)])) as Body<"create-verification-group">);
        done();
      }}
    >
      {names.map((name) => <Field name={name} label={fields[name]} required key={name} />)}
    </Form>
  );
}
