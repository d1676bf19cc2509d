#pragma once

/// \file For tests: a small export of Nsight Systems, according to its documented schema.

#include <filesystem>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <string>

namespace keyswap::testing {

/// Tables of `nsys export --type sqlite`, without columns that the reader ignores.
/// Source: Nsight Systems User Guide, "SQLite Schema Reference".
inline constexpr char const* nsight_tables = R"(
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);
CREATE TABLE TARGET_INFO_GPU (vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (
    start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
    contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER,
    globalPid INTEGER, demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (
    start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
    contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER,
    globalPid INTEGER, bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL, srcKind INTEGER,
    dstKind INTEGER, srcDeviceId INTEGER, srcContextId INTEGER, dstDeviceId INTEGER,
    dstContextId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (
    start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
    contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, globalPid INTEGER,
    value INTEGER NOT NULL, bytes INTEGER NOT NULL);
CREATE TABLE NVTX_EVENTS (
    start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, rangeId INTEGER,
    text TEXT, globalTid INTEGER, textId INTEGER, domainId INTEGER);
)";

/// Two GPUs, 0 and 2: a key swap within a range, and a kernel whose name resembles HTML.
inline constexpr char const* nsight_rows = R"(
INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.17.2');
INSERT INTO TARGET_INFO_GPU VALUES (0, 0, 'NVIDIA H200'), (0, 2, 'NVIDIA H200');
INSERT INTO StringIds VALUES (1, 'histogram_kernel'), (2, '<img src=x onerror=alert(1)>'),
    (3, 'key swap'), (4, 'void keyswap::histogram_kernel()');
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
    (1001000, 1003000, 0, 1, 7, 1, 0, 4, 1),
    (1001000, 1002000, 2, 2, 13, 2, 0, 4, 1),
    (1009000, 1010000, 2, 2, 13, 3, 0, 2, 2);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES
    (1000000, 1001000, 0, 1, 7, 4, 0, 4096, 1, 0, 2, NULL, NULL, NULL, NULL),
    (1003000, 1007000, 0, 1, 7, 5, 0, 4000, 10, 2, 2, 0, 1, 2, 2),
    (1003500, 1006500, 2, 2, 14, 6, 0, 3000, 10, 2, 2, 2, 2, 0, 1),
    (1006500, 1007500, 2, 2, 14, 7, 0, 500, 8, 2, 2, 0, 1, 2, 2),
    (1007500, 1008000, 2, 2, 14, 8, 0, 100, 8, 2, 2, 2, 2, 2, 2);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (1008000, 1008500, 2, 2, 14, 0, 0, 256);
-- Thread 5 of process 3. A range in a range, a mark, and a range that never ended.
INSERT INTO NVTX_EVENTS VALUES
    (1000000, 1010000, 59, NULL, 'sort', (3 << 24) + 5, NULL, 0),
    (1003000, 1008000, 60, 1, NULL, (3 << 24) + 5, 3, 0),
    (1004000, NULL, 34, NULL, 'mark', (3 << 24) + 5, NULL, 0),
    (1005000, NULL, 59, NULL, 'open', (3 << 24) + 5, NULL, 0);
)";

/// Runs SQL on a database, which is created if missing.
inline void run_sql(std::filesystem::path const& path, std::string const& sql) {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(path.string().c_str(), &database), SQLITE_OK);
    sqlite3_exec(database, "PRAGMA synchronous = OFF", nullptr, nullptr, nullptr); // for speed
    char* message = nullptr;
    EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &message), SQLITE_OK)
        << (message == nullptr ? "" : message);
    sqlite3_free(message);
    sqlite3_close(database);
}

} // namespace keyswap::testing
