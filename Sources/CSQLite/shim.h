#pragma once
// sqlite3_db_config(3) is variadic, and Swift cannot call it.
#include <sqlite3.h>

/// Has a connection write its log back when it is the last to close, or leave every file as it is.
static inline int sensibus_write_back_on_close(sqlite3 *connection, int writes_back) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !writes_back, (int *)0);
}
