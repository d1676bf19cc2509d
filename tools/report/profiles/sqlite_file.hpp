#pragma once

/// \file Reads untrusted SQLite databases.

#include "traces/errors/input_error.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>

struct sqlite3;
struct sqlite3_stmt;

namespace keyswap::tools {

/// First bytes of every SQLite database.
inline constexpr char sqlite_magic[] = "SQLite format 3";

/// Rows of a query result, one at a time.
class SqliteRows {
  public:
    /// \return true if there is another row, which becomes the current one
    [[nodiscard]] Expected<bool> next();
    /// Integer field of the current row; nullopt if it is NULL or not an integer.
    [[nodiscard]] std::optional<std::int64_t> number(int column) const;
    /// Text field of the current row; empty if NULL.
    [[nodiscard]] std::string text(int column) const;

  private:
    friend class SqliteFile;
    SqliteRows(std::string file, sqlite3_stmt* statement);

    std::string file_;
    std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement_;
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
    /// \pre the SQL only uses names checked by columns_of()
    [[nodiscard]] Expected<SqliteRows> query(std::string const& sql) const;
    /// First field of the first row; empty if there is no row.
    /// \pre as query()
    [[nodiscard]] Expected<std::string> text_of(std::string const& sql) const;

  private:
    SqliteFile(std::string file, sqlite3* connection);

    std::string file_;
    std::unique_ptr<sqlite3, int (*)(sqlite3*)> connection_;
};

} // namespace keyswap::tools
