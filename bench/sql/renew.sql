\set n random(0, :last)
UPDATE ct_occupy_item
SET expire_time = greatest(expire_time, clock_timestamp() + interval '28800 s'), renewals = renewals + 1,
    updt_usr_id = user_id, updt_dt = clock_timestamp()
WHERE item_type = 'MASK' AND item_name = 'MASK-' || :n::int
  AND state = 'OCCUPIED' AND user_id = 'user' || :n::int AND expire_time > clock_timestamp();
