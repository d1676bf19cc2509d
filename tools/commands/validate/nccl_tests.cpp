#include "tools/commands/validate/nccl_tests.hpp"

#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "traces/errors/joined_text.hpp"
#include "traces/errors/parsed_number.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <span>
#include <sstream>
#include <utility>

namespace keyswap::tools {

namespace {

using simulator::CollectiveKind;

/// Programs of nccl-tests; a name that contains another one precedes it.
constexpr std::array<std::pair<std::string_view, std::optional<CollectiveKind>>, 10> programs{
    {{"alltoall_perf", CollectiveKind::all_to_all},
     {"all_gather_perf", CollectiveKind::all_gather},
     {"reduce_scatter_perf", std::nullopt},
     {"scatter_perf", CollectiveKind::scatter},
     {"all_reduce_perf", std::nullopt},
     {"sendrecv_perf", std::nullopt},
     {"hypercube_perf", std::nullopt},
     {"broadcast_perf", std::nullopt},
     {"gather_perf", std::nullopt},
     {"reduce_perf", std::nullopt}}};

/// \return an error for a program whose operation cannot be predicted
Expected<std::optional<CollectiveKind>> kind_in(std::string_view text, std::string const& file) {
    for (auto const& [program, kind] : programs) {
        if (text.find(program) == std::string_view::npos) {
            continue;
        }
        if (!kind) {
            return input_error(file,
                               "is of " + std::string(program) +
                                   ", whose operation is not predicted",
                               "give the output of alltoall_perf, all_gather_perf or scatter_perf");
        }
        return kind;
    }
    return std::optional<CollectiveKind>();
}

std::vector<std::string> words_of(std::string const& line) {
    std::istringstream stream(line);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) {
        words.push_back(word);
    }
    return words;
}

/// Nonnegative number; nullopt for "N/A" and all other text.
std::optional<double> number_of(std::string const& word) {
    auto const value = parsed_number<double>(word);
    return value && std::isfinite(*value) && *value >= 0.0 ? value : std::nullopt;
}

/// Removes the prefix "[1,0]<stdout>:" that mpirun adds to each line of a rank.
std::string without_rank(std::string const& line) {
    constexpr std::string_view mark = "<stdout>:";
    std::size_t const at = line.find(mark);
    return line.starts_with('[') && at != std::string::npos ? line.substr(at + mark.size()) : line;
}

constexpr double size_max = 1e18; ///< bytes

/// Where each rank ran, as far as the output says so.
class RankPlaces {
  public:
    void add(std::string const& host, std::optional<double> device) {
        hosts_.insert(host);
        if (device) {
            devices_.push_back(static_cast<std::uint32_t>(*device));
        }
        ++ranks_;
    }
    void set(NcclTests& tests) const {
        bool const known = hosts_.size() == 1 && devices_.size() == ranks_;
        bool const differ = std::set(devices_.begin(), devices_.end()).size() == devices_.size();
        tests.ranks = static_cast<std::uint32_t>(ranks_);
        tests.gpus = known && differ ? devices_ : std::vector<std::uint32_t>();
    }

  private:
    std::set<std::string> hosts_;
    std::vector<std::uint32_t> devices_;
    std::size_t ranks_ = 0;
};

/// True if a size and a time in microseconds give the bandwidth that stands beside them.
bool is_consistent(double size, double microseconds, std::optional<double> algorithm_GBps) {
    double const expected_GBps = size / microseconds / 1e3;
    double const rounding = 0.01 + 0.02 * expected_GBps;
    return !algorithm_GBps || std::abs(*algorithm_GBps - expected_GBps) <= rounding;
}

tl::unexpected<InputError>
inconsistent(std::string_view subject, double size, double microseconds, double algorithm_GBps) {
    return input_error(
        subject,
        formatted("%.0f bytes in %g us are not %g GB/s", size, microseconds, algorithm_GBps),
        "give times in microseconds, as nccl-tests print them");
}

tl::unexpected<InputError> wrong_results(std::string_view subject, double count) {
    return input_error(subject,
                       "has " + formatted("%g", count) + " wrong values",
                       "repeat the test: what it timed is not the operation");
}

/// Reads a text table: lines that begin with '#' are comments; one has the column names.
class OutputReader {
  public:
    explicit OutputReader(std::string const& file) : file_(file) {}

    Expected<NcclTests> read(std::string const& text) {
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);) {
            ++number_;
            KEYSWAP_RETURN_IF_ERROR(take(words_of(without_rank(line))));
        }
        places_.set(tests_);
        return std::move(tests_);
    }

  private:
    Expected<void> take(std::vector<std::string> const& words) {
        if (words.empty()) {
            return {};
        }
        if (words[0].starts_with('#')) {
            return take_comment(words);
        }
        if (times_.empty()) {
            return {};
        }
        auto const size = number_of(words[0]);
        bool const is_row = words.size() > times_.front() + 2 &&
                            std::isdigit(static_cast<unsigned char>(words[0][0])) != 0 &&
                            number_of(words[times_.front() + 2]);
        if (is_row && !size) {
            return refused("'" + words[0] + "' is not a size",
                           "give bytes, as nccl-tests print them");
        }
        return size ? take_size(words, *size) : Expected<void>();
    }

    Expected<void> take_comment(std::vector<std::string> const& words) {
        if (words.size() > 2 && words[1] == "Rank" && number_of(words[2])) {
            take_rank(words);
        }
        if (words.size() > 2 && words[1] == "size" && words[2] == "count") {
            times_.clear();
            for (std::size_t i = 1; i < words.size(); ++i) {
                if (words[i] == "time") {
                    times_.push_back(i - 1);
                }
            }
        }
        // "# Out of bounds values : 5 FAILED"
        constexpr std::array<std::string_view, 6> wrong_words{
            "#", "Out", "of", "bounds", "values", ":"};
        if (words.size() > wrong_words.size() &&
            std::ranges::equal(std::span(words).first(wrong_words.size()), wrong_words)) {
            double const wrong = number_of(words[wrong_words.size()]).value_or(0.0);
            if (wrong > 0.0) {
                return wrong_results(file_ + ":" + std::to_string(number_), wrong);
            }
        }
        return {};
    }

    /// Takes "# Rank 0 Group 0 Pid 7 on HOST device 0 ...".
    void take_rank(std::vector<std::string> const& words) {
        auto const after = [&words](std::string_view name) {
            auto const found = std::ranges::find(words, name);
            return found == words.end() || found + 1 == words.end() ? std::string() : found[1];
        };
        places_.add(after("on"), number_of(after("device")));
        auto const bus = std::ranges::find_if(
            words, [](std::string const& word) { return word.ends_with(']'); });
        if (bus != words.end() && bus + 1 != words.end()) {
            tests_.gpu_names.insert(joined_text(std::span(bus + 1, words.end()), " "));
        }
    }

    [[nodiscard]] tl::unexpected<InputError> refused(std::string problem,
                                                     std::string remedy) const {
        return input_error(
            file_ + ":" + std::to_string(number_), std::move(problem), std::move(remedy));
    }

    Expected<void> take_size(std::vector<std::string> const& words, double size) {
        if (size > size_max) {
            return refused("'" + words[0] + "' is too large a size", "check the output");
        }
        for (std::size_t const time : times_) {
            if (time + 2 >= words.size()) {
                return refused("the line of a size ends before its times",
                               "check that the output is complete");
            }
            for (std::size_t i = time; i < std::min(time + 4, words.size()); ++i) {
                if (words[i] != "N/A" && !number_of(words[i])) {
                    return refused("'" + words[i] + "' is neither a number nor N/A",
                                   "check that the output is complete");
                }
            }
            auto const microseconds = number_of(words[time]);
            auto const bus = number_of(words[time + 2]);
            auto const wrong = time + 3 < words.size() ? number_of(words[time + 3]) : std::nullopt;
            if (wrong.value_or(0.0) > 0.0) {
                return wrong_results(file_ + ":" + std::to_string(number_), *wrong);
            }
            if (microseconds && *microseconds > 0.0 && bus) {
                auto const rate = number_of(words[time + 1]);
                if (!is_consistent(size, *microseconds, rate)) {
                    return inconsistent(
                        file_ + ":" + std::to_string(number_), size, *microseconds, *rate);
                }
                if (size >= 1.0) {
                    tests_.runs.push_back({static_cast<std::uint64_t>(size), *microseconds, *bus});
                }
                return {};
            }
        }
        return {};
    }

    std::string const& file_;
    std::size_t number_ = 0;         ///< line number
    std::vector<std::size_t> times_; ///< columns of out-of-place and of in-place times
    RankPlaces places_;
    NcclTests tests_;
};

/// Member of an object as a number, also if it is written as a string.
std::optional<double> number_in(Json const& object, char const* name) {
    auto const found = object.is_object() ? object.find(name) : object.end();
    if (!object.is_object() || found == object.end()) {
        return std::nullopt;
    }
    if (found->is_number()) {
        double const value = found->get<double>();
        return value >= 0.0 ? std::optional(value) : std::nullopt;
    }
    return found->is_string() ? number_of(found->get<std::string>()) : std::nullopt;
}

std::optional<CollectiveRun> run_of(Json const& result) {
    auto const size = number_in(result, "size");
    for (char const* const place : {"out_of_place", "in_place"}) {
        if (!size || *size < 1.0 || *size > size_max || !result.contains(place)) {
            continue;
        }
        Json const& times = result.at(place);
        auto const time =
            number_in(times, "time") ? number_in(times, "time") : number_in(times, "cpu_time");
        auto const bus = number_in(times, "bus_bw");
        if (time && *time > 0.0 && bus) {
            return CollectiveRun{static_cast<std::uint64_t>(*size), *time, *bus};
        }
    }
    return std::nullopt;
}

Expected<NcclTests> from_json(std::string const& text, std::string const& file) {
    Json const json = Json::parse(text, nullptr, false);
    if (json.is_discarded() || !json.is_object() || !json.contains("results") ||
        !json.at("results").is_array()) {
        return input_error(file,
                           "is not a JSON document with results",
                           "give what nccl-tests write with -J, whole");
    }
    NcclTests tests;
    if (json.contains("devices") && json.at("devices").is_array()) {
        RankPlaces places;
        for (Json const& rank : json.at("devices")) {
            bool const names_host = rank.is_object() && rank.contains("hostname");
            places.add(names_host ? rank.at("hostname").dump() : "", number_in(rank, "device"));
        }
        places.set(tests);
    }
    for (Json const& result : json.at("results")) {
        for (char const* const place : {"out_of_place", "in_place"}) {
            auto const wrong = result.is_object() && result.contains(place)
                                   ? number_in(result.at(place), "nwrong")
                                   : std::nullopt;
            if (wrong.value_or(0.0) > 0.0) {
                return wrong_results(file + ", " + place, *wrong);
            }
        }
        if (auto const run = run_of(result)) {
            tests.runs.push_back(*run);
        }
    }
    return tests;
}

bool is_json(std::string_view text) {
    std::size_t const first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && text[first] == '{';
}

} // namespace

bool looks_like_nccl_tests(std::string_view text) {
    return is_json(text) ? text.find("\"bus_bw\"") != std::string_view::npos
                         : text.find("busbw") != std::string_view::npos;
}

Expected<NcclTests> parse_nccl_tests(std::string const& text, std::string const& file) {
    KEYSWAP_TRY(auto const kind, kind_in(text, file));
    KEYSWAP_TRY(auto tests, is_json(text) ? from_json(text, file) : OutputReader(file).read(text));
    if (tests.runs.empty()) {
        return input_error(
            file, "has no size with a time", "give the whole output of one of nccl-tests");
    }
    tests.kind = kind;
    return tests;
}

} // namespace keyswap::tools
