#include "tools/report/figures/drawing.hpp"
#include "tools/report/figures/figure.hpp"
#include "tools/report/figures/figure_files.hpp"
#include "tools/report/figures/palette.hpp"
#include "tools/report/report_request.hpp"
#include "tools/report/sections/varint_text.hpp"
#include "tools/text/json.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace keyswap::tools {
namespace {

Json document_of(std::string const& distribution,
                 std::vector<std::string> algorithms,
                 std::uint64_t keys = 1'000'000) {
    ReportOptions options;
    options.platform = "ac922";
    options.distribution = distribution;
    options.key_count = keys;
    options.algorithms = std::move(algorithms);
    auto const content = report_content(options);
    EXPECT_TRUE(content) << content.error().message();
    return report_document(*content, "");
}

ReportOptions figures_named(std::vector<std::string> names, std::optional<std::string> file) {
    ReportOptions options;
    options.figures = std::move(names);
    options.figure_file = std::move(file);
    options.figure_size = "page";
    return options;
}

std::string file_of(Json const& document, std::string const& name, std::string const& out) {
    auto const file = figure_file(document, figures_named({name}, out));
    return file ? *file : "error: " + file.error().message();
}

std::size_t count_in(std::string const& text, std::string const& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++found;
    }
    return found;
}

TEST(Figures, EachThatIsListedCanBeWrittenInEachFormatAndSize) {
    Json const document = document_of("zipf", {"rmg-paper", "rmg-rotated"});
    std::set<std::string> names;
    for (Figure const& figure : figures_of(document)) {
        if (!figure.is_drawable()) {
            continue;
        }
        SCOPED_TRACE(figure.name);
        EXPECT_TRUE(names.insert(figure.name).second);
        EXPECT_TRUE(file_of(document, figure.name, "a.svg").starts_with("<svg "));
        EXPECT_TRUE(file_of(document, figure.name, "a.pdf").starts_with("%PDF-1.4"));
        auto const csv = file_of(document, figure.name, "a.csv");
        EXPECT_EQ(csv.find("error"), std::string::npos);
        EXPECT_GT(std::ranges::count(csv, '\n'), 1);
        EXPECT_LT(figure.draw({FigureSize::column, true}).width,
                  figure.draw({FigureSize::page, true}).width);
        EXPECT_NE(figure_list(document).find("  " + figure.name + " "), std::string::npos);
    }
    for (char const* name : {"comparison",
                             "buckets",
                             "balance",
                             "swap",
                             "matrix",
                             "motion",
                             "phases",
                             "topology",
                             "rates",
                             "swap-order",
                             "timeline",
                             "timeline-2"}) {
        EXPECT_TRUE(names.contains(name)) << name;
    }
}

TEST(Figures, LettersAreOutlinesSoThatNoFontIsNeeded) {
    std::string const svg = file_of(document_of("zipf", {"rmg-paper"}), "matrix", "a.svg");
    EXPECT_EQ(svg.find("<text"), std::string::npos);
    EXPECT_NE(svg.find("<title>Transfer matrix</title>"), std::string::npos);
    std::string const pdf = file_of(document_of("zipf", {"rmg-paper"}), "matrix", "a.pdf");
    EXPECT_EQ(pdf.find("/Font"), std::string::npos);
}

TEST(Figures, TheTableOfAMatrixHasEveryPairAndAllBytes) {
    std::string const csv = file_of(document_of("uniform", {"rmg-paper"}), "matrix", "a.csv");
    EXPECT_TRUE(csv.starts_with("source,destination,size (B)\n")) << csv;
    EXPECT_EQ(std::ranges::count(csv, '\n'), 1 + 4 * 4);
}

TEST(Figures, BucketsAreThoseThatTheDocumentHas) {
    Json const document = document_of("zipf", {"rmg-paper"});
    Json run;
    for (Json const& section : document["sections"]) {
        run = section["kind"] == "run" ? section : run;
    }
    Figure const figure = buckets_figure(run);
    double keys = 0.0;
    std::size_t buckets = 0;
    for (auto const& row : figure.table.rows) {
        keys += row[0] == 1 ? row[4].get<double>() : 0.0;
    }
    for (Json const& pass : run["passes"]) {
        for (Json const& group : pass["groups"]) {
            buckets += group["count"].get<std::size_t>();
        }
    }
    EXPECT_EQ(keys, 1e6);
    EXPECT_EQ(figure.table.rows.size(), buckets);
}

TEST(Figures, EvenSharesShowThePromisedBand) {
    Json const document = document_of("uniform", {"rmg-paper"}, 2'000'000'000);
    std::string const svg = file_of(document, "balance", "a.svg");
    EXPECT_NE(svg.find(hex_of(palette().band)), std::string::npos);
}

TEST(Figures, NoBottleneckIsDrawnWhereNothingLimits) {
    EXPECT_NE(file_of(document_of("uniform", {"rmg-fast"}, 10), "bottlenecks", "a.svg")
                  .find("has nothing to draw: No link limits this sort"),
              std::string::npos);
}

TEST(Figures, WhatCannotBeDrawnIsRefusedWithWhatCan) {
    Json const document = document_of("uniform", {"rmg-paper"});
    EXPECT_NE(file_of(document, "busy", "a.svg").find("choose one of "), std::string::npos);
    for (auto const& [name, out] : {std::pair{"bucket", "a.svg"},
                                    std::pair{"matrix", "a.png"},
                                    std::pair{"matrix", "a"},
                                    std::pair{"matrix-x", "a.svg"}}) {
        EXPECT_FALSE(check_figures(figures_named({name}, out))) << name << out;
    }
    EXPECT_FALSE(check_figures(figures_named({"matrix"}, std::nullopt)));
    EXPECT_FALSE(check_figures(figures_named({}, "a.svg")));
    EXPECT_FALSE(check_figures(figures_named({"matrix", "swap"}, "a.csv")));
    EXPECT_TRUE(check_figures(figures_named({"matrix-2", "swap"}, "a.pdf")));
    EXPECT_TRUE(check_sections(figures_named({"matrix-2", "swap"}, "a.pdf"), {"run"}));
    EXPECT_FALSE(check_sections(figures_named({"swap", "phases"}, "a.pdf"), {"run"}));
}

/// A machine with a CPU, a GPU below it, and the given links between them.
Json two_nodes(std::vector<Json> const& links) {
    Json const nodes = {{{"name", "cpu0"}, {"kind", "cpu"}, {"x", 0.0}, {"y", 0.0}},
                        {{"name", "gpu0"}, {"kind", "gpu"}, {"x", 0.0}, {"y", 1.0}}};
    return {{"gpus", {0}}, {"topology", {{"nodes", nodes}, {"links", links}}}};
}

/// A link used in one direction, at capacity for a fraction of the time.
Json link_of(double capacity_GBps, double saturated_share) {
    return {{"name", "link"},
            {"kind", "pcie"},
            {"from", "cpu0"},
            {"to", "gpu0"},
            {"forward",
             {{"capacity_GBps", capacity_GBps},
              {"mean_GBps", 0.0},
              {"peak_GBps", capacity_GBps},
              {"saturated_share", saturated_share}}},
            {"backward", nullptr},
            {"both", nullptr}};
}

std::vector<Shape> lines_of(Json const& simulation) {
    std::vector<Shape> lines;
    for (auto const& part : topology_figure(simulation).draw({FigureSize::page, false}).parts) {
        auto const* const shape = std::get_if<Shape>(&part);
        if (shape != nullptr && shape->points.size() == 2 &&
            shape->points[0].y != shape->points[1].y) {
            lines.push_back(*shape);
        }
    }
    return lines;
}

TEST(TopologyFigure, WidthShowsCapacityAndColourUse) {
    auto const width_of = [](std::size_t count, double capacity_GBps) {
        return lines_of(two_nodes(std::vector(count, link_of(capacity_GBps, 0.0)))).front().width;
    };
    EXPECT_DOUBLE_EQ(width_of(1, 100.0), 2.0);
    EXPECT_DOUBLE_EQ(width_of(1, 400.0), 4.0);
    EXPECT_DOUBLE_EQ(width_of(1, 0.01), 0.5);
    EXPECT_DOUBLE_EQ(width_of(30, 100.0), 2.0);
    EXPECT_DOUBLE_EQ(width_of(120, 100.0), 1.0);
    // A node is as wide as 5.5 characters of 7.5 points.
    EXPECT_DOUBLE_EQ(width_of(1, 1e6), 0.6 * 5.5 * 7.5);

    auto const used =
        lines_of(two_nodes({link_of(1.0, 0.25), link_of(1.0, 0.6), link_of(1.0, 1.0)}));
    ASSERT_EQ(used.size(), 3U);
    for (std::size_t step = 0; step < 3; ++step) {
        EXPECT_EQ(used[step].stroke, palette().use[step]);
        EXPECT_EQ(used[step].dash > 0.0, step == 1);
    }
}

TEST(TopologyFigure, LinksOfAPairLieSideBySide) {
    auto const lines = lines_of(two_nodes(std::vector(3, link_of(100.0, 0.0))));
    ASSERT_EQ(lines.size(), 3U);
    std::set<double> places;
    for (Shape const& line : lines) {
        EXPECT_EQ(line.points[0].x, line.points[1].x);
        places.insert(line.points[0].x - lines[0].points[0].x);
    }
    EXPECT_EQ(places, (std::set{-5.0, 0.0, 5.0}));
}

TEST(Motion, MovesEveryKeyAndStandsStillForWhoAsksForIt) {
    Json const document = document_of("zipf", {"rmg-paper"});
    std::string const svg = file_of(document, "motion", "a.svg");
    EXPECT_NE(svg.find("@media (prefers-reduced-motion:reduce)"), std::string::npos);
    EXPECT_GT(count_in(svg, "@keyframes"), 16U);
    std::string const pdf = file_of(document, "motion", "a.pdf");
    EXPECT_NE(pdf.find("/Count 13 "), std::string::npos); // one page per frame
    std::string const csv = file_of(document, "motion", "a.csv");
    EXPECT_EQ(std::ranges::count(csv, '\n'), 1 + 4 * 4);
}

TEST(Motion, AFrameHasWhatIsThereAtItsTime) {
    Drawing drawing;
    drawing.box(10.0, 0.0, 20.0, 5.0, "#000000");
    std::get<Shape>(drawing.parts.front()).motion = {
        {0.0, {-10.0, 0.0}, 1.0}, {0.5, {-10.0, 0.0}, 1.0}, {1.0, {0.0, 0.0}, 1.0}};
    auto const left = [&](double time) {
        return std::get<Shape>(frame_of(drawing, time).parts.front()).points.front().x;
    };
    EXPECT_EQ(left(0.2), 0.0);
    EXPECT_EQ(left(0.75), 5.0);
    EXPECT_EQ(left(1.0), 10.0);
}

TEST(Palette, LettersAreReadOnEveryColour) {
    constexpr double enough = 4.5; // WCAG 2.2, level AA
    for (std::string const& ground : palette().groups) {
        EXPECT_GE(contrast(ink_on(ground), ground), enough) << ground;
    }
    EXPECT_NEAR(contrast("#000000", "#ffffff"), 21.0, 1e-9);
}

TEST(Palette, LooksDifferInGrey) {
    constexpr double seen = 1.3; // contrast of neighbours with equal patterns
    auto const differ = [](Look const& one, Look const& other) {
        return one.pattern != other.pattern || contrast(one.colour, other.colour) >= seen;
    };
    for (std::size_t index = 0; index < palette().groups.size(); ++index) {
        for (std::size_t other = 0; other < index; ++other) {
            EXPECT_TRUE(differ(look_of(index), look_of(other))) << index << ' ' << other;
        }
        EXPECT_TRUE(differ(look_of(index + 8), look_of(index + 9))) << index;
    }
    std::array const phases{"host to device",
                            "histogram",
                            "planning",
                            "scatter",
                            "key swap",
                            "sort",
                            "device to host",
                            "launching kernels"};
    for (std::string const one : phases) {
        for (std::string const other : phases) {
            EXPECT_TRUE(one == other || differ(phase_look(one), phase_look(other)))
                << one << ' ' << other;
        }
    }
}

TEST(Drawing, HatchingGoesOnInTheNextArea) {
    for (std::size_t const hatch : {1U, 2U, 3U}) {
        auto const lines = [&](double left, double right) {
            Drawing drawing;
            drawing.box(left, 0.0, right, 20.0, "#0072b2");
            auto& shape = std::get<Shape>(drawing.parts.front());
            shape.hatch = hatch;
            return hatch_lines(shape);
        };
        // Hatch lines of adjacent narrow areas are in total as long as those of their union.
        auto const length = [](std::vector<Point> const& points) {
            double sum = 0.0;
            for (std::size_t i = 0; i < points.size(); i += 2) {
                sum += std::hypot(points[i + 1].x - points[i].x, points[i + 1].y - points[i].y);
            }
            return sum;
        };
        double parts = 0.0;
        for (int i = 0; i < 16; ++i) {
            parts += length(lines(5.0 + 0.5 * i, 5.5 + 0.5 * i));
        }
        EXPECT_NEAR(parts, length(lines(5.0, 13.0)), 1e-6) << hatch;
        EXPECT_GT(parts, 20.0);
    }
}

/// Value of a variable in a theme's block of theme_css().
std::string variable_of(std::string const& theme, std::string const& name) {
    std::string const css = theme_css();
    std::size_t const block = css.find(":root[data-theme=" + theme);
    return css.substr(css.find("--" + name + ":", block) + name.size() + 3, 7);
}

TEST(Palette, ThemesAreReadableAndTheirMarksSeen) {
    for (char const* theme : {"light", "dark"}) {
        std::string const ground = variable_of(theme, "ground");
        for (char const* ink : {"ink", "quiet", "accent", "alarm"}) {
            EXPECT_GE(contrast(variable_of(theme, ink), ground), 4.5) << theme << ink;
        }
        for (char const* use : {"use0", "use1", "use2"}) {
            EXPECT_GE(contrast(variable_of(theme, use), ground), 3.0) << theme << use;
        }
        for (std::string const& colour : palette().groups) { // WCAG 2.2, 1.4.11
            EXPECT_GE(contrast(colour, ground), 3.0) << theme << colour;
        }
        for (int step = 0; step <= 20; ++step) {
            std::string const name = std::to_string(step);
            EXPECT_GE(contrast(variable_of(theme, "on" + name), variable_of(theme, "s" + name)),
                      4.5)
                << theme << step;
        }
    }
    EXPECT_EQ(ink_on(shade(0.5)), "on10");
    EXPECT_EQ(hex_of("ink"), variable_of("light", "ink"));
}

TEST(PageFigures, HaveNamedColoursRowsAndAreasToZoom) {
    Json const document = document_of("zipf", {"rmg-paper"});
    PageFigures const page = page_figures(document);
    EXPECT_EQ(page.listed.size(), document["sections"].size());
    EXPECT_NE(page.svgs.find("var(--ink)"), std::string::npos);
    EXPECT_EQ(page.svgs.find("<use"), std::string::npos); // text is not converted to outlines
    EXPECT_EQ(count_in(page.svgs, "<svg class=\"zoom\""), count_in(page.svgs, "data-low="));
    EXPECT_EQ(count_in(page.svgs, "<svg "), count_in(page.svgs, "</svg>"));
    EXPECT_EQ(count_in(page.svgs, "<g"), count_in(page.svgs, "</g>"));
}

TEST(PageFigures, OfALongTableThePageHasTheRowsThatAreDrawn) {
    ReportOptions options;
    options.distribution = "normal";
    options.key_count = 2'000'000'000;
    options.gpu_count = 72;
    auto const content = report_content(options);
    ASSERT_TRUE(content) << content.error().message();
    Json const document = report_document(*content, "");
    Json const buckets = page_figures(document).listed[0][0];
    ASSERT_EQ(buckets["name"], "buckets");
    EXPECT_GT(buckets["rows_all"], 4000);
    EXPECT_LE(buckets["rows"].size(), 4000U);
    EXPECT_GT(buckets["rows"].size(), 100U);
}

TEST(Csv, WhatBeginsLikeAFormulaIsText) {
    EXPECT_EQ(csv_of({{"a", "b,c"}, {{"=1+1", 2.5}, {"x\"y", Json()}}}),
              "a,\"b,c\"\n'=1+1,2.5\n\"x\"\"y\",\n");
}

TEST(Letters, ThatTheFontLacksAreBoxesAndLongTextsAreCut) {
    EXPECT_GT(text_width("\xe6\xbc\xa2", 10.0), 5.0);
    EXPECT_GT(text_width("\xff\xfe", 10.0), 10.0);
    std::string const cut = text_that_fits("a long name of a link", 8.0, 40.0);
    EXPECT_TRUE(cut.starts_with("a ") && cut.ends_with("nk") && cut.find("…") != std::string::npos)
        << cut;
    EXPECT_LE(text_width(cut, 8.0), 40.0);
}

TEST(VarintReader, ReadsWhatWasWritten) {
    VarintText text;
    for (std::int64_t const number : {0L, 1L, -1L, 127L, 128L, 1L << 40, -(1L << 40)}) {
        text.add_signed(number);
    }
    text.add(~0ULL);
    VarintReader reader(text.base64());
    for (std::int64_t const number : {0L, 1L, -1L, 127L, 128L, 1L << 40, -(1L << 40)}) {
        EXPECT_EQ(reader.next_signed(), number);
    }
    EXPECT_EQ(reader.next(), ~0ULL);
}

} // namespace
} // namespace keyswap::tools
