#pragma once

/// \file Typed access to the tables of a platform file, with errors that name file and line.

#include "simulator/platform/platform.hpp"
#include "simulator/platform/platform_text.hpp"
#include "simulator/platform/sim_time.hpp"
#include "simulator/platform/toml_text.hpp"
#include "simulator/platform/units.hpp"
#include "traces/errors/input_error.hpp"
#include "traces/errors/input_limits.hpp"
#include "traces/errors/try.hpp"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <toml++/toml.h>
#include <vector>

namespace keyswap::simulator {

struct RunningCost;
struct Storage;

/// Collects the first mistake of a file; later calls then return empty values.
class MistakeLog {
  public:
    explicit MistakeLog(std::string_view file) : file_(file) {}

    void report(toml::source_region const& where, std::string problem, std::string remedy);
    [[nodiscard]] std::optional<InputError> const& first() const { return first_; }

    /// Reports a bandwidth whose unit family differs from that of the file's first bandwidth.
    void check_family(toml::source_region const& where, UnitFamily family);

  private:
    std::string file_;
    std::optional<InputError> first_;
    std::optional<UnitFamily> family_;
    std::uint32_t family_line_ = 0;
};

/// Reader of one table of the file, such as a [[link]].
class TableReader {
  public:
    /// \param original the table as written in the file, for line numbers; differs from `table` if
    /// `table` is one of those that expand_ranges() made from it
    /// \param allowed keys besides "name" and "origin"; any other key is a mistake
    TableReader(toml::table const& table,
                std::string what,
                toml::table const& original,
                MistakeLog& log,
                std::initializer_list<std::string_view> allowed);

    /// Required; an empty text is a mistake.
    std::string text(std::string_view key);
    std::string text_or(std::string_view key, std::string otherwise);
    std::vector<std::string> texts(std::string_view key);
    std::uint64_t bandwidth(std::string_view key);
    std::optional<std::uint64_t> bandwidth_if(std::string_view key);
    /// The optional limit of both directions combined; one below that of a direction is a mistake.
    std::optional<std::uint64_t> bandwidth_total_if(std::string_view key,
                                                    std::uint64_t one_way_Bps);
    std::uint64_t size(std::string_view key);
    SimTime time(std::string_view key);
    std::optional<SimTime> time_if(std::string_view key);
    /// A fraction from 0.001 to 1; absent: 1.
    double efficiency(std::string_view key);
    std::optional<double> efficiency_if(std::string_view key);
    /// A factor from 1 to 100; absent: 1.
    double cost(std::string_view key);
    /// 1 to 1,000; absent: 1.
    std::uint32_t count(std::string_view key);
    std::optional<std::uint32_t> number_if(std::string_view key);
    Position position();

    /// Origins of all constants read so far. Call last: a constant without an origin is a mistake.
    Origins origins();

    void report(std::string problem, std::string remedy);

  private:
    /// Node of a constant, nullptr if absent; an absent one is reported if `required`.
    toml::node const* constant(std::string_view key, bool required);
    std::optional<std::string> quantity(std::string_view key, bool required);
    /// An optional constant; 1 if it is not a number from `least` to `most`, which is a mistake.
    template <class Number>
    std::optional<Number> number_in(std::string_view key,
                                    Number least,
                                    Number most,
                                    std::string const& kind,
                                    std::string const& remedy);
    [[nodiscard]] toml::source_region const& line_of(std::string_view key) const;
    void report_at(std::string_view key, std::string problem, std::string remedy);

    toml::table const& table_;
    toml::table const& original_;
    std::string what_; ///< "link xbus"
    MistakeLog& log_;
    std::vector<std::string> constants_;
};

/// The table [key] of a file, or nullptr if the file has none. Reports another value of that key.
[[nodiscard]] toml::table const*
optional_table(toml::table const& root, std::string_view key, MistakeLog& log);

/// Optional tables, which only some predictions need; nullopt if the file has none.
[[nodiscard]] std::optional<Storage> read_storage(toml::table const& root, MistakeLog& log);
[[nodiscard]] std::optional<RunningCost> read_running_cost(toml::table const& root,
                                                           MistakeLog& log);

/// Parses the text of a platform file. \return an error with file and line
[[nodiscard]] Expected<toml::table> parse_platform_toml(std::string_view text,
                                                        std::string_view file);

/// Reads one optional table of a platform file.
/// \param read read_storage() or read_running_cost()
/// \return an error with file and line
template <class Section>
[[nodiscard]] Expected<std::optional<Section>>
read_section(PlatformText const& source,
             std::optional<Section> (*read)(toml::table const& root, MistakeLog& log)) {
    KEYSWAP_TRY(auto const root, parse_platform_toml(source.text, source.file));
    MistakeLog log(source.file);
    auto section = read(root, log);
    if (log.first()) {
        return tl::unexpected(*log.first());
    }
    return section;
}

/// Remaining budget for expanding the ranges of one file, since a range can be arbitrarily long.
struct RangeBudget {
    std::uint64_t tables = limit_of(Limit::links);
    std::uint64_t size_bytes = limit_of(Limit::memory) / memory_per_toml_byte; ///< of their texts
};

/// Expands ranges in the texts of a table into one table per value: "gpu{0-7}" counts from 0 to 7,
/// "plx{0-7/2}" gives 0 0 1 1 2 2 3 3. All ranges of a table have equal length; a table without
/// ranges is returned as it is. The copies have no source lines of their own.
/// \param budget of the file; reduced by the size of the result
/// \return an error with an empty subject if lengths differ, a range is malformed, or the budget is
/// exhausted
[[nodiscard]] Expected<std::vector<toml::table>> expand_ranges(toml::table const& table,
                                                               RangeBudget& budget);

} // namespace keyswap::simulator
