WITH overdue AS (
    SELECT item_type, item_name FROM ct_occupy_item
    WHERE state = 'OCCUPIED' AND expire_time <= clock_timestamp()
    ORDER BY expire_time LIMIT 500 FOR UPDATE
), expired AS (
    UPDATE ct_occupy_item i
    SET state = 'EXPIRED', version = version + 1, updt_usr_id = 'occupy', updt_dt = clock_timestamp()
    FROM overdue o WHERE i.item_type = o.item_type AND i.item_name = o.item_name
    RETURNING i.*
)
INSERT INTO ct_occupy_item_history (time_key, item_type, item_name, state, user_id, session_id, start_time, expire_time,
    ui_name, menu_name, fencing_token, version, renewals, event, reg_usr_id, reg_dt)
SELECT to_char(updt_dt AT TIME ZONE 'UTC', 'YYYYMMDDHH24MISSUS') || lpad(nextval('ct_occupy_time_key')::text, 12, '0'),
    item_type, item_name, state, user_id, session_id, start_time, expire_time,
    ui_name, menu_name, fencing_token, version, renewals, 'EXPIRED', updt_usr_id, updt_dt
FROM expired;
