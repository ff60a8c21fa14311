#pragma once
// Swift cannot call sqlite3_db_config(3), which is variadic, and has no SQLITE_TRANSIENT, which is a cast.
#include <sqlite3.h>

/// Has a connection write its log back when it is the last to close, or leave every file as it is.
static inline int sensibus_write_back_on_close(sqlite3 *connection, int writes_back) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !writes_back, (int *)0);
}

/// Has a connection read text in double quotes as a name, and never as a string.
static inline int sensibus_forbid_quoted_strings(sqlite3 *connection) {
    int code = sqlite3_db_config(connection, SQLITE_DBCONFIG_DQS_DDL, 0, (int *)0);
    return code ? code : sqlite3_db_config(connection, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0);
}

/// Binds a copy of UTF-8 text, which may contain NUL.
static inline int sensibus_bind_text(sqlite3_stmt *statement, int place, const char *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_text64(statement, place, bytes, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/// Binds a copy of bytes; an empty blob is not NULL.
static inline int sensibus_bind_blob(sqlite3_stmt *statement, int place, const void *bytes, sqlite3_uint64 count) {
    return count ? sqlite3_bind_blob64(statement, place, bytes, count, SQLITE_TRANSIENT)
                 : sqlite3_bind_zeroblob(statement, place, 0);
}
