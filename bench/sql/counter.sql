UPDATE ct_sequence SET curr_value = curr_value + 1, updt_dt = clock_timestamp() WHERE seq_name = 'BENCH' RETURNING curr_value, epoch;
