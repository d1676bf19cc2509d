#include "tools/report/figures/figure_files.hpp"

#include "tools/report/figures/figure.hpp"
#include "tools/report/report_page.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "traces/errors/joined_text.hpp"
#include "traces/errors/printable_text.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

namespace keyswap::tools {

namespace {

constexpr int motion_frames = 12;

std::string ending_of(std::string const& path) {
    return std::filesystem::path(path).extension().string();
}

/// Figure name without its number: "matrix" for "matrix-2".
std::string kind_of(std::string const& name) {
    std::size_t const end = name.find_last_not_of("0123456789");
    bool const numbered = end != std::string::npos && end + 1 < name.size() && name[end] == '-';
    return numbered ? name.substr(0, end) : name;
}

Expected<Figure const*> find_figure(std::vector<Figure> const& figures, std::string const& name) {
    std::vector<std::string> drawable;
    std::string problem = "is not a figure of these results";
    for (Figure const& figure : figures) {
        if (figure.name == name && figure.is_drawable()) {
            return &figure;
        }
        if (figure.is_drawable()) {
            drawable.push_back(figure.name);
        } else if (figure.name == name) {
            problem = "has nothing to draw: " + figure.empty;
        }
    }
    return input_error("--figure",
                       "'" + name + "' " + problem,
                       drawable.empty() ? "give results that have figures"
                                        : "choose one of " + joined_text(drawable, ", "));
}

/// Makes titles printable: they contain names from files.
Drawing described(Figure const& figure, FigureSize size) {
    Drawing drawing = figure.draw({size, true});
    drawing.title = printable_text(figure.title);
    drawing.description = printable_text(figure.note);
    return drawing;
}

} // namespace

Expected<void> check_figures(ReportOptions const& options) {
    if (options.figures.empty() && (options.figure_file || options.figure_size)) {
        return input_error(options.figure_file ? "--out" : "--figure-size",
                           "applies to a figure, but none is named",
                           "add --figure, or name the page with --output");
    }
    if (options.figures.empty()) {
        return {};
    }
    std::set<std::string> known;
    for (FigureKind const& kind : figure_kinds()) {
        known.insert(kind.name);
    }
    for (std::string const& name : options.figures) {
        if (!known.contains(kind_of(name))) {
            return input_error("--figure",
                               "'" + name + "' is not known",
                               "choose one of " + joined_text(known, ", "));
        }
    }
    if (!options.figure_file) {
        return input_error(
            "--figure", "has no output file", "add --out FILE.svg, FILE.pdf or FILE.csv");
    }
    std::string const ending = ending_of(*options.figure_file);
    if (ending != ".svg" && ending != ".pdf" && ending != ".csv") {
        return input_error("--out",
                           "'" + *options.figure_file + "' has no known file type",
                           "end it with .svg, .pdf, or .csv for the numbers");
    }
    if (ending == ".csv" && options.figures.size() > 1) {
        return input_error("--figure",
                           "names several, but a CSV file holds one table",
                           "name one, or end --out with .svg or .pdf");
    }
    return {};
}

Expected<void> check_sections(ReportOptions const& options, std::set<std::string> const& sections) {
    for (std::string const& name : options.figures) {
        std::set<std::string> of;
        for (FigureKind const& kind : figure_kinds()) {
            if (kind.name == kind_of(name)) {
                of.insert(kind.section);
            }
        }
        if (std::ranges::none_of(of, [&](auto const& kind) { return sections.contains(kind); })) {
            return input_error(
                "--figure",
                "'" + name + "' shows a " + *of.begin() + ", and these results have none",
                "name another figure (--list-figures), or add what it shows: a file, "
                "--platform, or several algorithms");
        }
    }
    return {};
}

Expected<std::string> figure_file(Json const& document, ReportOptions const& options) {
    std::vector<Figure> const figures = figures_of(document);
    std::string const ending = ending_of(*options.figure_file);
    FigureSize const size = options.figure_size == "column" ? FigureSize::column : FigureSize::page;
    std::vector<Drawing> drawings;
    for (std::string const& name : options.figures) {
        KEYSWAP_TRY(auto const figure, find_figure(figures, name));
        if (ending == ".csv") {
            return csv_of(figure->table);
        }
        drawings.push_back(described(*figure, size));
    }
    Drawing const all = stacked(drawings);
    if (ending == ".svg") {
        return svg_of(all);
    }
    std::vector<Drawing> pages;
    for (int frame = 0; all.duration_s > 0.0 && frame <= motion_frames; ++frame) {
        pages.push_back(frame_of(all, static_cast<double>(frame) / motion_frames));
    }
    return pdf_of(pages.empty() ? std::vector<Drawing>{all} : pages);
}

std::string page_of(Json const& document) {
    PageFigures figures = page_figures(document);
    return report_page(document, std::move(figures.listed), figures.svgs);
}

std::string figure_list(Json const& document) {
    std::string text;
    std::string section;
    for (Figure const& figure : figures_of(document)) {
        if (!figure.is_drawable()) {
            continue;
        }
        if (figure.section != section) {
            section = figure.section;
            text += printable_text(section) + ":\n";
        }
        text += formatted("  %-17s ", figure.name.c_str()) + printable_text(figure.title) + "\n";
    }
    return text.empty() ? "These results have no figure that could be drawn.\n" : text;
}

std::string figure_kind_list() {
    std::vector<std::string> sections; // in page order
    std::map<std::string, std::set<std::string>> names;
    for (FigureKind const& kind : figure_kinds()) {
        if (names[kind.section].empty()) {
            sections.push_back(kind.section);
        }
        names[kind.section].insert(kind.name);
    }
    return joined_text(sections, "", [&](std::string const& section) {
        return section + ": " + joined_text(names[section], ", ") + '\n';
    });
}

} // namespace keyswap::tools
