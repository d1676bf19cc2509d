#include "tools/report/sqlite_file.hpp"

#include <sqlite3.h>

namespace keyswap::tools {

namespace {

InputError unreadable(std::string const& file, sqlite3* connection) {
    int const code = sqlite3_errcode(connection);
    if (code == SQLITE_NOTADB) {
        return {file, "is no SQLite database", "decompress it if it is compressed"};
    }
    return {file,
            std::string("cannot be read as an SQLite database: ") + sqlite3_errmsg(connection),
            "is the copy complete? Export it again"};
}

} // namespace

void SqliteRows::Finalize::operator()(sqlite3_stmt* statement) const {
    sqlite3_finalize(statement);
}

SqliteRows::SqliteRows(std::string file, sqlite3_stmt* statement)
    : file_(std::move(file)), statement_(statement) {}

Expected<bool> SqliteRows::next() {
    int const code = sqlite3_step(statement_.get());
    if (code == SQLITE_ROW || code == SQLITE_DONE) {
        return code == SQLITE_ROW;
    }
    return tl::unexpected(unreadable(file_, sqlite3_db_handle(statement_.get())));
}

std::optional<std::int64_t> SqliteRows::number(int column) const {
    if (sqlite3_column_type(statement_.get(), column) != SQLITE_INTEGER) {
        return std::nullopt;
    }
    return sqlite3_column_int64(statement_.get(), column);
}

std::string SqliteRows::text(int column) const {
    // SQLite gives text as bytes without a sign; its length has to be asked for after the bytes.
    auto const* const letters =
        reinterpret_cast<char const*>(sqlite3_column_text(statement_.get(), column));
    if (letters == nullptr) {
        return {};
    }
    return {letters, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

void SqliteFile::Close::operator()(sqlite3* connection) const {
    sqlite3_close_v2(connection);
}

SqliteFile::SqliteFile(std::string file, sqlite3* connection)
    : file_(std::move(file)), connection_(connection) {}

Expected<SqliteFile> SqliteFile::open(std::filesystem::path const& path) {
    sqlite3* connection = nullptr;
    int const code =
        sqlite3_open_v2(path.string().c_str(), &connection, SQLITE_OPEN_READONLY, nullptr);
    SqliteFile file(path.string(), connection);
    if (code != SQLITE_OK) {
        return tl::unexpected(unreadable(path.string(), connection));
    }
    sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
    // Opening reads nothing: only the first query finds out what the file is.
    auto rows = file.query("SELECT count(*) FROM sqlite_master");
    if (!rows) {
        return tl::unexpected(rows.error());
    }
    if (auto const row = rows->next(); !row) {
        return tl::unexpected(row.error());
    }
    return file;
}

Expected<std::set<std::string>> SqliteFile::columns_of(std::string const& table) const {
    auto rows = query("SELECT name FROM pragma_table_info('" + table + "')");
    if (!rows) {
        return tl::unexpected(rows.error());
    }
    std::set<std::string> names;
    while (true) {
        auto const more = rows->next();
        if (!more) {
            return tl::unexpected(more.error());
        }
        if (!*more) {
            return names;
        }
        names.insert(rows->text(0));
    }
}

Expected<SqliteRows> SqliteFile::query(std::string const& sql) const {
    sqlite3_stmt* statement = nullptr;
    int const code = sqlite3_prepare_v2(
        connection_.get(), sql.c_str(), static_cast<int>(sql.size()), &statement, nullptr);
    if (code != SQLITE_OK) {
        return tl::unexpected(unreadable(file_, connection_.get()));
    }
    return SqliteRows(file_, statement);
}

Expected<std::string> SqliteFile::text_of(std::string const& sql) const {
    auto rows = query(sql);
    if (!rows) {
        return tl::unexpected(rows.error());
    }
    auto const found = rows->next();
    if (!found) {
        return tl::unexpected(found.error());
    }
    return *found ? rows->text(0) : std::string();
}

} // namespace keyswap::tools
