#pragma once

/// \file Reads untrusted SQLite databases.

#include "traces/errors/input_error.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

struct sqlite3;
struct sqlite3_stmt;

namespace keyswap::tools {

/// First bytes of every SQLite database.
inline constexpr char sqlite_magic[] = "SQLite format 3";

/// A row of a query's result.
class SqliteRow {
  public:
    explicit SqliteRow(sqlite3_stmt* statement) : statement_(statement) {}

    /// Integer field; nullopt if it is NULL or not an integer.
    [[nodiscard]] std::optional<std::int64_t> number(int column) const;
    /// Text field; empty if NULL.
    [[nodiscard]] std::string text(int column) const;

  private:
    sqlite3_stmt* statement_;
};

/// Read-only database, opened defensively: its content can neither make SQLite write nor call
/// functions; no auxiliary files are created.
class SqliteFile {
  public:
    /// \return an error if the file is not an SQLite database, or if it has changes in a separate
    /// write-ahead log
    [[nodiscard]] static Expected<SqliteFile> open(std::filesystem::path const& path);

    /// Column names of a table; empty if there is no such table.
    [[nodiscard]] Expected<std::set<std::string>> columns_of(std::string const& table) const;
    /// Calls `take` for each row of a query's result, until it returns false.
    /// \pre the SQL only uses names checked by columns_of()
    [[nodiscard]] Expected<void> each_row(std::string const& sql,
                                          std::function<bool(SqliteRow const&)> const& take) const;

  private:
    SqliteFile(std::string file, sqlite3* connection);

    std::string file_;
    std::unique_ptr<sqlite3, int (*)(sqlite3*)> connection_;
};

} // namespace keyswap::tools
