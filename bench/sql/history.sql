\set n random(0, :last)
SELECT time_key, event, state, user_id, start_time, expire_time, ui_name, version, reg_dt
FROM ct_occupy_item_history
WHERE item_type = 'LOT' AND item_name = 'LOT-' || :n::int
ORDER BY time_key DESC LIMIT 51;
