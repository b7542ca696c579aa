-- What a test key may change: what a test key made. Whether it did never changes.

-- name: TestRecordIs :one
SELECT coalesce(CASE @kind::text
    WHEN 'assistant' THEN (SELECT assistant.test FROM assistant WHERE assistant.account_id = @account_id AND assistant.id = @id)
    WHEN 'contact' THEN (SELECT contact.test FROM contact WHERE contact.account_id = @account_id AND contact.id = @id)
    WHEN 'call' THEN (SELECT call.simulated FROM call WHERE call.account_id = @account_id AND call.id = @id)
    WHEN 'web token' THEN (SELECT web_token.test FROM web_token WHERE web_token.account_id = @account_id AND web_token.id = @id)
    WHEN 'scheduled call' THEN (SELECT scheduled_call.simulated FROM scheduled_call WHERE scheduled_call.account_id = @account_id AND scheduled_call.id = @id)
    WHEN 'phone number' THEN (SELECT phone_number.simulated FROM phone_number
        WHERE (phone_number.account_id = @account_id OR phone_number.account_id IS NULL) AND phone_number.id = @id)
    WHEN 'SIP connection' THEN (SELECT sip_connection.simulated FROM sip_connection WHERE sip_connection.account_id = @account_id AND sip_connection.id = @id)
    WHEN 'verification group' THEN (SELECT verification_group.simulated FROM verification_group
        WHERE verification_group.account_id = @account_id AND verification_group.id = @id)
    WHEN 'document' THEN (SELECT EXISTS (SELECT FROM assistant WHERE assistant.account_id = knowledge_document.account_id
            AND assistant.id = knowledge_document.assistant_id AND assistant.test)
        FROM knowledge_document WHERE knowledge_document.account_id = @account_id AND knowledge_document.id = @id)
END, true)::boolean; -- what is not there is not found by the handler
