#include "tools/commands/check/verify_exchange.hpp"

#include "model/ranks/communicator.hpp"
#include "model/verify/ranks/exchange_table.hpp"
#include "tools/options/standard_input.hpp"
#include "tools/output/json_result.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/try.hpp"
#include "traces/format/open_bytes.hpp"

#include <algorithm>
#include <span>

namespace keyswap::tools {

namespace {

using model::verify::ExchangedBytes;
using model::verify::ExchangeTable;
using model::verify::RankPair;

constexpr std::size_t pairs_shown_max = 10;

Expected<ExchangeTable> read_tables(std::vector<std::string> const& paths) {
    ExchangeTable table;
    for (std::string const& path : paths) {
        KEYSWAP_RETURN_IF_ERROR(
            readable_path(path)
                .and_then([](std::string const& file) { return open_bytes(file); })
                .and_then([&](auto bytes) { return read_text(*bytes, path); })
                .and_then([&](std::string const& text) { return table.add(text, path); }));
    }
    return table;
}

std::string sentence_of(RankPair pair, ExchangedBytes bytes) {
    bool const lost = bytes.sent > bytes.received;
    return "rank " + std::to_string(pair.from) + " to rank " + std::to_string(pair.to) + ": " +
           counted(bytes.sent, "byte") + " sent, " + grouped_count(bytes.received) + " received (" +
           grouped_count(lost ? bytes.sent - bytes.received : bytes.received - bytes.sent) +
           (lost ? " fewer)" : " more)");
}

void print_text(ExchangeTable const& table, bool all, std::ostream& out) {
    auto const wrong = table.mismatched_pairs();
    std::size_t const shown = all ? wrong.size() : std::min(wrong.size(), pairs_shown_max);
    for (RankPair const pair : std::span(wrong).first(shown)) {
        out << sentence_of(pair, table.pairs().at(pair)) << '\n';
    }
    if (shown < wrong.size()) {
        out << "and " << counted(wrong.size() - shown, "pair") << " more (--all prints them)\n";
    }
    if (auto const silent = table.ranks_without_rows(); !silent.empty()) {
        std::size_t const named = all ? silent.size() : std::min(silent.size(), pairs_shown_max);
        out << "No row of " << model::ranks_text(std::span(silent).first(named));
        if (named < silent.size()) {
            out << ", and of " << grouped_count(silent.size() - named) << " more";
        }
        out << ": what they sent and received is unknown.\n";
    }
    out << "exchange: " << counted(table.rank_count(), "rank") << ", "
        << counted(table.pairs().size(), "pair") << ", " << counted(table.sent_bytes(), "byte")
        << " sent; " << (wrong.empty() ? "no" : grouped_count(wrong.size()))
        << (wrong.size() == 1 ? " pair counts" : " pairs count") << " differently\n";
}

void print_result(std::vector<std::string> const& paths,
                  ExchangeTable const& table,
                  bool holds,
                  std::ostream& out) {
    Json differences = Json::array();
    for (RankPair const pair : table.mismatched_pairs()) {
        ExchangedBytes const& bytes = table.pairs().at(pair);
        differences.push_back({{"from", pair.from},
                               {"to", pair.to},
                               {"sent_bytes", bytes.sent},
                               {"received_bytes", bytes.received}});
    }
    auto json = json_result("verify", {{"exchange", paths}});
    json["holds"] = holds;
    json["ranks"] = table.rank_count();
    json["pairs"] = table.pairs().size();
    json["sent_bytes"] = table.sent_bytes();
    json["differences"] = std::move(differences);
    json["ranks_without_rows"] = table.ranks_without_rows();
    print_json(json, out);
}

} // namespace

Expected<ExitCode>
verify_exchange(std::vector<std::string> const& paths, bool all, bool json, std::ostream& out) {
    KEYSWAP_TRY(auto const table, read_tables(paths));
    if (table.rank_count() == 0) {
        return input_error(paths.front(),
                           "has no row below its header",
                           "give what the ranks sent and received, one row per pair");
    }
    bool const holds = table.mismatched_pairs().empty() && table.ranks_without_rows().empty();
    if (json) {
        print_result(paths, table, holds, out);
    } else {
        print_text(table, all, out);
    }
    return holds ? ExitCode::fine : ExitCode::violation;
}

} // namespace keyswap::tools
