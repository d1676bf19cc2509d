#include "tools/report/profiles/nsight_export.hpp"

#include "tools/report/profiles/profile_tracks.hpp"
#include "tools/report/profiles/sqlite_file.hpp"
#include "tools/text/number_text.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/input_limits.hpp"
#include "traces/errors/joined_text.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

namespace keyswap::tools {

namespace {

/// Maximum length of a name, in characters; longer ones are truncated.
constexpr std::uint64_t name_letters_max = 1000;
/// Bytes of memory per record or name; names may use a quarter of the memory limit.
constexpr std::uint64_t record_bytes = 256;
constexpr std::uint64_t name_part = 4;
/// Larger device numbers are invalid (the export uses the largest 32-bit number).
constexpr std::int64_t device_max = 4095;

constexpr char const* copies_table = "CUPTI_ACTIVITY_KIND_MEMCPY";
constexpr char const* fills_table = "CUPTI_ACTIVITY_KIND_MEMSET";
constexpr char const* kernels_table = "CUPTI_ACTIVITY_KIND_KERNEL";
constexpr char const* graphs_table = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
constexpr char const* ranges_table = "NVTX_EVENTS";
constexpr char const* event_types_table = "ENUM_NSYS_EVENT_TYPE";
constexpr char const* strings_table = "StringIds";

// Kinds of copies in table ENUM_CUDA_MEMCPY_OPER.
constexpr std::int64_t device_to_device = 8;
constexpr std::int64_t peer_to_peer = 10;

/// Event types of NVTX ranges, used if the export lacks a table of types: push/pop and start/end
/// ranges of NVTX itself, and those of its text files.
constexpr std::array<std::int64_t, 4> lasting_events{59, 60, 70, 71};

char const* copy_name(std::int64_t kind) {
    switch (kind) {
    case 1:
    case 11: // unified memory
        return "host to device";
    case 2:
    case 12:
        return "device to host";
    case device_to_device:
    case 13:
        return "device to device";
    case 9:
        return "host to host";
    default:
        return "copy";
    }
}

/// True if both times exist, are ordered and within a year: larger values are invalid.
bool lasts(std::optional<std::int64_t> begin_ns, std::optional<std::int64_t> end_ns) {
    constexpr std::int64_t limit_ns = std::int64_t{1} << 55;
    return begin_ns && end_ns && *begin_ns <= *end_ns && *begin_ns > -limit_ns &&
           *end_ns < limit_ns;
}

bool is_device(std::optional<std::int64_t> number) {
    return number && *number >= 0 && *number <= device_max;
}

/// Columns of every table of GPU work, and their positions in a query.
constexpr std::array gpu_work{"start", "end", "deviceId", "streamId"};
enum GpuColumn { start, end, device, stream, context, process, first_own };

std::uint64_t size_of(SqliteRow const& row) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(0, row.number(first_own).value_or(0)));
}

/// Column list for SQL, with NULL for columns missing from the table.
std::string selection(std::set<std::string> const& columns, std::span<char const* const> wanted) {
    return joined_text(wanted, ", ", [&](char const* name) {
        return columns.contains(name) ? '"' + std::string(name) + '"' : "NULL";
    });
}

class ExportReader {
  public:
    ExportReader(std::string file, SqliteFile const& database)
        : file_(std::move(file)), database_(database) {}

    Expected<Profile> read();

  private:
    using Take = std::function<void(SqliteRow const&)>;

    /// Calls `take` for each row of the table, ordered by begin. Columns in `optional` may be
    /// missing. If the table is missing, adds a note about `what`.
    Expected<void> each_row(char const* table,
                            char const* what,
                            std::span<char const* const> required,
                            std::span<char const* const> optional,
                            Take const& take);
    /// Calls `take` for each row of a query on a table, until it returns false; does nothing if the
    /// table or one of the two columns is missing.
    /// \return true if the table has both columns
    Expected<bool> each_pair(char const* table,
                             std::array<char const*, 2> const& columns,
                             std::string const& query,
                             std::function<bool(SqliteRow const&)> const& take);
    Expected<void> read_copies();
    Expected<void> read_fills();
    Expected<void> read_kernels();
    Expected<void> read_graphs();
    Expected<void> read_event_types();
    Expected<void> read_ranges();
    Expected<void> read_gpu_names();
    Expected<void> read_program();

    Expected<void> read_strings();
    /// Text in StringIds; empty if the id is missing.
    [[nodiscard]] std::string string_of(std::optional<std::int64_t> id) const;
    /// Name in a column, either as an id of StringIds or as text.
    [[nodiscard]] std::string name_at(SqliteRow const& row, int column) const;
    /// \param span without times, which are set here
    void add_gpu_work(SqliteRow const& row, std::string const& name, ProfileSpan span);
    void add_copy(SqliteRow const& row);

    std::string file_;
    SqliteFile const& database_;
    ProfileTracks tracks_;
    Profile profile_;
    std::unordered_map<std::int64_t, std::string> strings_; ///< id -> text of StringIds
    std::set<std::int64_t> lasting_events_{lasting_events.begin(), lasting_events.end()};
    bool recognised_ = false;
    std::uint64_t broken_ = 0; ///< records without end or without device
};

Expected<void> ExportReader::each_row(char const* table,
                                      char const* what,
                                      std::span<char const* const> required,
                                      std::span<char const* const> optional,
                                      Take const& take) {
    KEYSWAP_TRY(auto const columns, database_.columns_of(table));
    if (columns.empty()) {
        profile_.notes.push_back(std::string("The export has no ") + what + " (no table " + table +
                                 ").");
        return {};
    }
    recognised_ = true;
    for (char const* name : required) {
        if (!columns.contains(name)) {
            return input_error(file_,
                               std::string("its table ") + table + " has no column " + name,
                               "export it again with another version of nsys");
        }
    }
    std::uint64_t const records_max = limit_of(Limit::memory) / record_bytes;
    std::vector<char const*> wanted(required.begin(), required.end());
    wanted.insert(wanted.end(), optional.begin(), optional.end());
    std::uint64_t count = 0;
    KEYSWAP_RETURN_IF_ERROR(database_.each_row("SELECT " + selection(columns, wanted) + " FROM " +
                                                   table + " ORDER BY start LIMIT " +
                                                   std::to_string(records_max + 1),
                                               [&](SqliteRow const& row) {
                                                   bool const has_room = count++ < records_max;
                                                   if (has_room) {
                                                       take(row);
                                                   }
                                                   return has_room;
                                               }));
    if (count > records_max) {
        profile_.notes.push_back("Only the first " + grouped_count(records_max) + ' ' + what +
                                 " are shown; --memory-limit has room for no more.");
    }
    return {};
}

Expected<bool> ExportReader::each_pair(char const* table,
                                       std::array<char const*, 2> const& columns,
                                       std::string const& query,
                                       std::function<bool(SqliteRow const&)> const& take) {
    KEYSWAP_TRY(auto const known, database_.columns_of(table));
    if (!known.contains(columns[0]) || !known.contains(columns[1])) {
        return false;
    }
    KEYSWAP_RETURN_IF_ERROR(database_.each_row(query, take));
    return true;
}

Expected<void> ExportReader::read_strings() {
    std::uint64_t letters = 0;
    // Reads all strings at once: without an index, each lookup would scan the table.
    KEYSWAP_TRY(auto const found,
                each_pair(strings_table,
                          {"id", "value"},
                          "SELECT id, substr(value, 1, " + std::to_string(name_letters_max) +
                              ") FROM StringIds",
                          [&](SqliteRow const& row) {
                              std::string text = row.text(1);
                              letters += text.size();
                              if (strings_.size() == limit_of(Limit::memory) / record_bytes ||
                                  letters > limit_of(Limit::memory) / name_part) {
                                  profile_.notes.emplace_back(
                                      "Some names are missing; --memory-limit has room for no "
                                      "more.");
                                  return false;
                              }
                              if (auto const id = row.number(0)) {
                                  strings_.emplace(*id, std::move(text));
                              }
                              return true;
                          }));
    recognised_ = recognised_ || found;
    return {};
}

std::string ExportReader::string_of(std::optional<std::int64_t> id) const {
    auto const known = id ? strings_.find(*id) : strings_.end();
    return known == strings_.end() ? std::string() : known->second;
}

std::string ExportReader::name_at(SqliteRow const& row, int column) const {
    auto const id = row.number(column);
    return id ? string_of(id) : row.text(column);
}

void ExportReader::add_gpu_work(SqliteRow const& row, std::string const& name, ProfileSpan span) {
    auto const begins = row.number(start);
    auto const ends = row.number(end);
    auto const gpu = row.number(device);
    if (!lasts(begins, ends) || !is_device(gpu)) {
        broken_ += 1;
        return;
    }
    span.begin_ns = *begins;
    span.end_ns = *ends;
    tracks_.add({.gpu = static_cast<std::uint32_t>(*gpu),
                 .process = row.number(process).value_or(0),
                 .context = row.number(context).value_or(0),
                 .number = row.number(stream).value_or(0)},
                name,
                span);
}

void ExportReader::add_copy(SqliteRow const& row) {
    ProfileSpan span{.kind = SpanKind::copy, .size_bytes = size_of(row)};
    auto const kind = row.number(first_own + 1).value_or(0);
    auto const source = row.number(first_own + 2);
    auto const destination = row.number(first_own + 3);
    bool const ends_known = is_device(source) && is_device(destination);
    if (kind != peer_to_peer && kind != device_to_device) {
        add_gpu_work(row, copy_name(kind), span);
    } else if (ends_known && *source != *destination) {
        span.route = {static_cast<std::uint32_t>(*source),
                      static_cast<std::uint32_t>(*destination)};
        add_gpu_work(row, copy_between_gpus, span);
    } else if (kind == peer_to_peer && !ends_known) {
        add_gpu_work(row, "copy between unnamed GPUs", span);
    } else {
        add_gpu_work(row, copy_name(device_to_device), span);
    }
}

Expected<void> ExportReader::read_copies() {
    constexpr std::array optional{
        "contextId", "globalPid", "bytes", "copyKind", "srcDeviceId", "dstDeviceId"};
    return each_row(copies_table, "copies", gpu_work, optional, [this](SqliteRow const& row) {
        add_copy(row);
    });
}

Expected<void> ExportReader::read_fills() {
    constexpr std::array optional{"contextId", "globalPid", "bytes"};
    return each_row(fills_table, "fills", gpu_work, optional, [this](SqliteRow const& row) {
        add_gpu_work(row, "fill", {.kind = SpanKind::fill, .size_bytes = size_of(row)});
    });
}

Expected<void> ExportReader::read_kernels() {
    constexpr std::array optional{"contextId", "globalPid", "shortName", "demangledName"};
    return each_row(kernels_table, "kernels", gpu_work, optional, [this](SqliteRow const& row) {
        std::string name = name_at(row, first_own);
        if (name.empty()) {
            name = name_at(row, first_own + 1);
        }
        add_gpu_work(
            row, name.empty() ? "kernel without a name" : name, {.kind = SpanKind::kernel});
    });
}

/// CUDA graph launches traced as a whole, the default of nsys. Most programs have none, so a
/// missing table is not noted.
Expected<void> ExportReader::read_graphs() {
    auto const columns = database_.columns_of(graphs_table);
    if (!columns || columns->empty()) {
        return columns.map([](auto const&) {});
    }
    constexpr std::array optional{"contextId", "globalPid", "graphId"};
    std::uint64_t launches = 0;
    auto const done =
        each_row(graphs_table, "graphs", gpu_work, optional, [&](SqliteRow const& row) {
            auto const id = row.number(first_own);
            add_gpu_work(row,
                         id ? "CUDA graph " + std::to_string(*id) : "CUDA graph",
                         {.kind = SpanKind::kernel});
            launches += 1;
        });
    if (launches > 0) {
        profile_.notes.push_back(
            counted(launches, "launch", "launches") +
            " of CUDA graphs were traced as whole graphs; for their kernels and "
            "copies, record with nsys profile --cuda-graph-trace=node.");
    }
    return done;
}

/// Numbers of event types in the export, since versions of Nsight Systems differ.
Expected<void> ExportReader::read_event_types() {
    std::set<std::int64_t> lasting;
    KEYSWAP_RETURN_IF_ERROR(
        each_pair(event_types_table,
                  {"id", "name"},
                  std::string("SELECT id, name FROM ") + event_types_table +
                      " WHERE name LIKE '%PushPopRange' OR name LIKE '%StartEndRange' LIMIT 64",
                  [&](SqliteRow const& row) {
                      if (auto const id = row.number(0)) {
                          lasting.insert(*id);
                      }
                      return true;
                  }));
    if (!lasting.empty()) {
        lasting_events_ = std::move(lasting);
    }
    return {};
}

Expected<void> ExportReader::read_ranges() {
    constexpr std::array required{"start", "end"};
    constexpr std::array optional{"eventType", "text", "textId", "globalTid"};
    std::uint64_t open = 0;
    auto const take = [&](SqliteRow const& row) {
        auto const type = row.number(2);
        auto const begins = row.number(0);
        auto const ends = row.number(1);
        if (type ? !lasting_events_.contains(*type) : !ends.has_value()) {
            return; // marks and thread names have no duration
        }
        if (!lasts(begins, ends)) {
            open += 1;
            return;
        }
        // Either of two columns holds the name or its id.
        std::string const own = name_at(row, 3);
        std::string const name = own.empty() ? name_at(row, 4) : own;
        // User guide: the thread id is in the lowest 24 bits, the process id in the next 24.
        auto const id = static_cast<std::uint64_t>(row.number(5).value_or(0));
        constexpr std::uint64_t field = 0x1000000;
        tracks_.add({.gpu = std::nullopt,
                     .process = static_cast<std::int64_t>(id / field % field),
                     .context = 0,
                     .number = static_cast<std::int64_t>(id % field)},
                    name.empty() ? "range without a name" : name,
                    {.kind = SpanKind::range, .begin_ns = *begins, .end_ns = *ends});
    };
    auto const done = each_row(ranges_table, "NVTX ranges", required, optional, take);
    if (open > 0) {
        profile_.notes.push_back(
            "NVTX ranges that never ended and are left out: " + grouped_count(open) + ".");
    }
    return done;
}

Expected<void> ExportReader::read_gpu_names() {
    KEYSWAP_RETURN_IF_ERROR(each_pair("TARGET_INFO_GPU",
                                      {"id", "name"},
                                      "SELECT id, name FROM TARGET_INFO_GPU LIMIT 4096",
                                      [&](SqliteRow const& row) {
                                          if (auto const id = row.number(0); is_device(id)) {
                                              profile_.gpu_names[static_cast<std::uint32_t>(*id)] =
                                                  row.text(1);
                                          }
                                          return true;
                                      }));
    return {};
}

Expected<void> ExportReader::read_program() {
    KEYSWAP_TRY(
        auto const found,
        each_pair("META_DATA_EXPORT",
                  {"name", "value"},
                  "SELECT value FROM META_DATA_EXPORT WHERE name = 'EXPORT_SCHEMA_VERSION' LIMIT 1",
                  [&](SqliteRow const& row) {
                      std::string const version = row.text(0);
                      profile_.made_by = version.empty() ? "" : "Nsight Systems, schema " + version;
                      return true;
                  }));
    recognised_ = recognised_ || found;
    return {};
}

Expected<Profile> ExportReader::read() {
    for (auto const step : {&ExportReader::read_strings,
                            &ExportReader::read_program,
                            &ExportReader::read_gpu_names,
                            &ExportReader::read_kernels,
                            &ExportReader::read_graphs,
                            &ExportReader::read_copies,
                            &ExportReader::read_fills,
                            &ExportReader::read_event_types,
                            &ExportReader::read_ranges}) {
        KEYSWAP_RETURN_IF_ERROR((this->*step)());
    }
    if (!recognised_) {
        return input_error(
            file_,
            std::string(
                "is an SQLite database, but not an export of Nsight Systems: it has neither ") +
                strings_table + " nor " + kernels_table,
            "make one with: nsys export --type sqlite REPORT.nsys-rep");
    }
    if (broken_ > 0) {
        profile_.notes.push_back("Records that have no end or name no device, and are left out: " +
                                 grouped_count(broken_) + ".");
    }
    tracks_.move_to(profile_);
    return std::move(profile_);
}

} // namespace

Expected<Profile> read_nsight_export(std::filesystem::path const& path) {
    KEYSWAP_TRY(auto const database, SqliteFile::open(path));
    auto profile = ExportReader(path.string(), database).read();
    if (profile) {
        profile->file = path.string();
        profile->title = "Profile " + path.filename().string();
    }
    return profile;
}

} // namespace keyswap::tools
