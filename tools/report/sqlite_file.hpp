#pragma once

/// \file Reading of SQLite databases that others wrote.

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

/// The first bytes of every SQLite database.
inline constexpr char sqlite_magic[] = "SQLite format 3";

/// Rows that a query gives, one at a time.
class SqliteRows {
  public:
    /// \return whether there is another row, which is then the current one
    [[nodiscard]] Expected<bool> next();
    /// Of the current row. Absent where the field is NULL or holds no whole number.
    [[nodiscard]] std::optional<std::int64_t> number(int column) const;
    /// Empty where the field is NULL.
    [[nodiscard]] std::string text(int column) const;

  private:
    friend class SqliteFile;
    struct Finalize {
        void operator()(sqlite3_stmt* statement) const;
    };
    SqliteRows(std::string file, sqlite3_stmt* statement);

    std::string file_;
    std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

/// A database that is only read. Nothing in it can make SQLite write or call anything, and nothing
/// is left next to it.
class SqliteFile {
  public:
    /// \return an error where the file is no SQLite database, or its newest changes lie in a log
    ///         next to it
    [[nodiscard]] static Expected<SqliteFile> open(std::filesystem::path const& path);

    /// Names of the columns; none if there is no such table.
    [[nodiscard]] Expected<std::set<std::string>> columns_of(std::string const& table) const;
    /// \pre the SQL was checked against columns_of()
    [[nodiscard]] Expected<SqliteRows> query(std::string const& sql) const;
    /// The first field of the query's first row; empty if it gives none.
    /// \pre as of query()
    [[nodiscard]] Expected<std::string> text_of(std::string const& sql) const;

  private:
    struct Close {
        void operator()(sqlite3* connection) const;
    };
    SqliteFile(std::string file, sqlite3* connection);

    std::string file_;
    std::unique_ptr<sqlite3, Close> connection_;
};

} // namespace keyswap::tools
