#include "tools/testing/command_words.hpp"

#include "tools/text/number_text.hpp"

#include <algorithm>

namespace keyswap::tools::testing {

std::string multisplit_words(ToldJson const& told) {
    constexpr std::size_t buckets_shown = 16;
    ToldJson const config = told["config"];
    std::string text = "multisplit: " + input_words(config) + "\nrule " + config["rule"].text() +
                       ", " + format_count(config["buckets"].count()) +
                       " buckets\nbucket start keys\n";
    auto const counts = told["counts"].each();
    auto const starts = told["starts"].each();
    for (std::size_t i = 0; i < std::min(counts.size(), buckets_shown); ++i) {
        text += std::to_string(i) + " " + format_count(starts[i].count()) + " " +
                format_count(counts[i].count()) + "\n";
    }
    if (counts.size() > buckets_shown) {
        text += "... " + std::to_string(counts.size() - buckets_shown) +
                " more with --json or --starts\n";
    }
    text += "method stable output\n";
    for (ToldJson const& method : told["methods"].each()) {
        bool const stable = method["stability"].text() == "stable";
        text += method["name"].text() + (stable ? " yes " : " no ") +
                (!method["holds"].flag() ? "VIOLATION: a method that does not hold"
                 : stable                ? "the one stable partition"
                                         : "every key in its bucket") +
                "\n";
    }
    return text;
}

std::string histogram_words(ToldJson const& told) {
    std::string text =
        "histogram: " + input_words(told["config"]) + "\nfrom to (not included) keys\n";
    auto const edges = told["edges"].each();
    auto const counts = told["counts"].each();
    text += edges.front().text() + " " + format_count(told["below"].count()) + "\n";
    for (std::size_t bin = 0; bin < counts.size(); ++bin) {
        text += edges[bin].text() + " " + edges[bin + 1].text() + " " +
                format_count(counts[bin].count()) + "\n";
    }
    text += edges.back().text() + " " + format_count(told["above"].count()) + "\n";
    return told["holds"].flag() ? text : text + "VIOLATION: these are not the reference's counts\n";
}

std::string sssp_words(ToldJson const& told, bool all) {
    constexpr std::size_t rounds_shown = 10;
    ToldJson const config = told["config"];
    std::string const method = config["method"].text();
    auto const rounds = told["rounds"].each();
    std::string text =
        "sssp: " + config["graph"].text() + ", " + format_count(told["vertices"].count()) +
        " vertices, " + format_count(told["edges"].count()) + " edges, seed " +
        config["seed"].shown() + "\nfrom vertex " + config["source"].shown() + " by " + method;
    if (method != "dijkstra") {
        text += " with Delta " + config["delta"].shown() + ": " + format_count(rounds.size()) +
                " rounds, " + format_count(told["relaxed_edges"].count()) + " edges relaxed";
    }
    text += "\n";
    if (!rounds.empty()) {
        text += "round pending frontier improved nearer than\n";
    }
    for (std::size_t i = 0; i < rounds.size() && (all || i < rounds_shown); ++i) {
        text += rounds[i]["round"].shown();
        for (char const* const column : {"pending", "frontier", "improved", "split"}) {
            text += " " + format_count(rounds[i][column].count());
        }
        text += "\n";
    }
    if (!all && rounds.size() > rounds_shown) {
        text += "... " + std::to_string(rounds.size() - rounds_shown) + " more with --all\n";
    }
    if (told.has("predicted")) {
        ToldJson const predicted = told["predicted"];
        text += "predicted for " + predicted["device"].text() +
                formatted(": %.3f ms (launches %.3f, relaxing %.3f, reorganising %.3f)\n",
                          predicted["total_ms"].number(),
                          predicted["launches_ms"].number(),
                          predicted["relaxing_ms"].number(),
                          predicted["reorganising_ms"].number());
    }
    return text + format_count(told["reached"].count()) + " vertices reached, the farthest at " +
           format_count(told["farthest"].count()) + "\n" +
           (told["holds"].flag() ? "All distances are those of Dijkstra's algorithm.\n"
                                 : "VIOLATION: the distances are not Dijkstra's\n");
}

std::string topology_list_words(ToldJson const& told) {
    std::string text;
    for (ToldJson const& platform : told["platforms"].each()) {
        text += platform["name"].text() + " " + platform["description"].text() + "\n";
    }
    return text + "cluster:dgx-h100:N N DGX H100 nodes on a rail-optimised fat tree\n";
}

} // namespace keyswap::tools::testing
