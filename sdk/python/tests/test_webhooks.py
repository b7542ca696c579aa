"""The requests of ../testdata/webhooks.json, which all SDKs share."""

import json
import pathlib
import unittest

from callwright import WebhookVerificationError, verify_webhook

CASES = json.loads((pathlib.Path(__file__).parents[2] / "testdata" / "webhooks.json").read_text())


class TestWebhooks(unittest.TestCase):
    def test_cases(self) -> None:
        for case in CASES:
            for payload in (case["payload"], case["payload"].encode()):
                with self.subTest(case["name"]):
                    if "error" in case:
                        with self.assertRaisesRegex(WebhookVerificationError, case["error"]):
                            verify_webhook(payload, case["headers"], *case["secrets"], now=case["now"])
                    else:
                        message = verify_webhook(payload, case["headers"], *case["secrets"], now=case["now"])
                        self.assertEqual(case["type"], message["type"])

    def test_now(self) -> None:
        case = CASES[0]
        with self.assertRaisesRegex(WebhookVerificationError, "five minutes"):
            verify_webhook(case["payload"], case["headers"], *case["secrets"])


if __name__ == "__main__":
    unittest.main()
