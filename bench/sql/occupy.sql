\set n random(0, :last)
\set ui random(0, 999999999)
WITH occupied AS (
    INSERT INTO ct_occupy_item AS i (item_type, item_name, state, user_id, start_time, expire_time, ui_name,
        fencing_token, version, reg_usr_id, reg_dt, updt_usr_id, updt_dt)
    VALUES ('LOT', 'LOT-' || :n::int, 'OCCUPIED', 'user' || :n::int, clock_timestamp(), clock_timestamp() + interval '300 s',
        'Screen ' || :ui::int, 1, 1, 'user' || :n::int, clock_timestamp(), 'user' || :n::int, clock_timestamp())
    ON CONFLICT (item_type, item_name) DO UPDATE
    SET state = 'OCCUPIED', user_id = excluded.user_id, start_time = excluded.start_time, expire_time = excluded.expire_time,
        ui_name = excluded.ui_name, fencing_token = i.fencing_token + 1, version = i.version + 1, renewals = 0,
        updt_usr_id = excluded.updt_usr_id, updt_dt = excluded.updt_dt
    WHERE i.state <> 'OCCUPIED' OR i.expire_time <= clock_timestamp() OR i.user_id = excluded.user_id
    RETURNING i.*
)
INSERT INTO ct_occupy_item_history (time_key, item_type, item_name, state, user_id, session_id, start_time, expire_time,
    ui_name, menu_name, fencing_token, version, renewals, event, reg_usr_id, reg_dt)
SELECT to_char(updt_dt AT TIME ZONE 'UTC', 'YYYYMMDDHH24MISSUS') || lpad(nextval('ct_occupy_time_key')::text, 12, '0'),
    item_type, item_name, state, user_id, session_id, start_time, expire_time,
    ui_name, menu_name, fencing_token, version, renewals, 'OCCUPIED', updt_usr_id, updt_dt
FROM occupied;
