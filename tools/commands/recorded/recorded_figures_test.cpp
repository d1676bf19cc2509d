/// \file Compares figures with recorded ones: titles, notes, and positions and colours of lines,
/// areas and text.

#include "tools/report/figures/drawing.hpp"
#include "tools/report/figures/figure.hpp"
#include "tools/testing/recorded_answers.hpp"
#include "tools/text/number_text.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <variant>
#include <vector>

namespace keyswap::tools {
namespace {

class RecordedFigures : public RecordedAnswers {
  protected:
    /// Adds the figures of a page drawn by a command.
    void figures(std::string const& line) { add_figures(line, run_line(line)); }

    /// Adds the figures of a sweep made by a command.
    void sweep(std::vector<std::string> words) {
        words.emplace_back("--json");
        put("sweep.json", run_program(words).output);
        std::string shown;
        for (std::string const& word : words) {
            shown += " " + word;
        }
        add_figures("report @sweep.json of" + shown, run_line("report @sweep.json --json"));
    }

  private:
    void add_figures(std::string const& shown, ProgramRun const& run) {
        Json const json = Json::parse(run.output, nullptr, false);
        ASSERT_TRUE(json.is_object()) << shown << run.errors;
        add("$ keyswap " + shown);
        for (Figure const& figure : figures_of(json.at("page"))) {
            add(figure.name + ": " + figure.title + ". " + figure.note + figure.empty);
            if (figure.is_drawable()) {
                add_table(figure.table);
                add_drawing(figure.draw({FigureSize::page, false}));
            }
        }
    }

    void add_table(FigureTable const& table) {
        constexpr std::size_t rows_most = 4;
        add("  " + Json(table.columns).dump());
        for (std::size_t i = 0; i < std::min(table.rows.size(), rows_most); ++i) {
            add("  " + Json(table.rows[i]).dump().substr(0, 400));
        }
        add("  " + std::to_string(table.rows.size()) + " rows");
    }

    /// Adds the first parts, and sums over all parts that change if any part moves.
    void add_drawing(Drawing const& drawing) {
        constexpr std::size_t parts_most = 12;
        std::size_t count = 0;
        Point sum;
        for (auto const& part : drawing.parts) {
            ++count;
            std::string const line = std::visit([](auto const& it) { return line_of(it); }, part);
            for (Point const point :
                 std::visit([](auto const& it) { return points_of(it); }, part)) {
                sum.x += static_cast<double>(count) * point.x;
                sum.y += static_cast<double>(count) * point.y;
            }
            if (count <= parts_most) {
                add("  " + line);
            }
        }
        add("  " + place({drawing.width, drawing.height}) + " with " + std::to_string(count) +
            " parts, " + place(sum));
    }

    static std::string place(Point point) {
        auto const rounded = [](double value) { return std::round(value * 100.0) / 100.0 + 0.0; };
        return printed("%.2f", rounded(point.x)) + "," + printed("%.2f", rounded(point.y));
    }
    static std::vector<Point> points_of(Shape const& shape) { return shape.points; }
    static std::vector<Point> points_of(Letters const& letters) { return {letters.at}; }

    static std::string line_of(Shape const& shape) {
        std::string text = shape.closed ? "area" : "line";
        for (std::size_t i = 0; i < std::min<std::size_t>(shape.points.size(), 4); ++i) {
            text += " " + place(shape.points[i]);
        }
        text += shape.fill.empty() ? "" : ", filled " + shape.fill;
        if (!shape.stroke.empty()) {
            text += ", " + shape.stroke + printed(" %.2f wide", shape.width);
        }
        text += shape.dash > 0.0 ? printed(", dashes of %.1f", shape.dash) : "";
        text += shape.hatch > 0 ? ", hatched " + std::to_string(shape.hatch) : "";
        return text + (shape.rows ? ", row " + std::to_string(shape.rows->first) : "");
    }
    static std::string line_of(Letters const& letters) {
        char const* const anchor = letters.anchor == Anchor::begin ? "from "
                                   : letters.anchor == Anchor::end ? "to "
                                                                   : "around ";
        return "'" + letters.text + "' " + anchor + place(letters.at) +
               printed(", %.1f high, ", letters.size) + letters.fill +
               (letters.upright ? ", upright" : "") + (letters.bold ? ", bold" : "");
    }
};

TEST_F(RecordedFigures, OfRunsAreAsTheyWere) {
    prepare("sort --distribution zipf --keys 900 --gpu-count 2 --digit-bits 4 --tolerance-ppm 0 "
            "--record @passes.trace");
    prepare("multisplit --distribution uniform --keys 90 --buckets 9 --rule hash:1 --to-owner "
            "--gpu-count 3 --record @shuffle.trace");
    prepare("histogram --distribution zipf --keys 90 --bins 4 --range 0:9999 --record @bins.trace");
    prepare("sssp --graph grid:4 --record @paths.trace");
    for (char const* const trace : {"passes", "shuffle", "bins", "paths"}) {
        figures("report @" + std::string(trace) + ".trace --json");
    }
    expect_as_recorded("figures-of-runs");
}

TEST_F(RecordedFigures, OfMachinesAreAsTheyWere) {
    figures("report --platform pcie-4gpu --gpus 0,3 --keys 1e5 --algorithm rmg-paper --json");
    figures("report --platform cluster:dgx-h100:2 --gpus 0,8,9 --keys 1e6 --algorithm "
            "rmg-fast,rmg-rotated --json");
    expect_as_recorded("figures-of-machines");
}

TEST_F(RecordedFigures, OfStudiesAreAsTheyWere) {
    auto const some_of = [](std::string const& name, std::size_t all_of_first, std::size_t step) {
        auto const lines =
            testing::lines_of(testing::text_of(KEYSWAP_SOURCE_DIR "/traces/measurements/" + name));
        std::string some;
        for (std::size_t i = 0; i < lines.size(); ++i) {
            bool const shown = i < all_of_first || lines[i].starts_with('#') || i % step == 0;
            some += shown ? lines[i] + "\n" : "";
        }
        return some;
    };
    put("runs.csv", some_of("ac922.csv", 1, 29));
    put("rates.csv", some_of("rates.csv", 30, 25));
    figures("report @runs.csv --platform ac922 --json");
    figures("report @rates.csv --json");
    expect_as_recorded("figures-of-studies");
}

TEST_F(RecordedFigures, OfSweepsAreAsTheyWere) {
    sweep({"whatif", "--keys", "1e6,1e8", "--platform", "ac922", "--gpus", "0", "--gpus", "0-3"});
    sweep({"whatif", "--keys", "1e7", "--platform", "ac922", "--gpu-count", "1-4"});
    sweep({"whatif",
           "--keys",
           "1e7,1e12",
           "--platform",
           "ac922",
           "--gpus",
           "0,1",
           "--algorithm",
           "rmg-fast,p2p-merge",
           "--type",
           "u32,u64"});
    sweep({"whatif",
           "--keys",
           "1e7",
           "--platform",
           "ac922",
           "--gpus",
           "0,2",
           "--link",
           "xbus = 10 GB/s",
           "--link",
           "xbus = 100 GB/s"});
    expect_as_recorded("figures-of-sweeps");
}

} // namespace
} // namespace keyswap::tools
