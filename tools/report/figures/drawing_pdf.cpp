#include "tools/report/figures/drawing.hpp"
#include "tools/report/figures/glyphs.hpp"
#include "tools/report/figures/palette.hpp"
#include "tools/text/number_text.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>

namespace keyswap::tools {

namespace {

std::string operand(double value) {
    return printed("%.3f ", value);
}

/// RGB operands of a colour: "0.000 0.447 0.698 " for "#0072b2".
std::string channels(std::string const& colour) {
    std::string text;
    std::string const hex = hex_of(colour);
    for (std::size_t i = 1; i + 1 < hex.size(); i += 2) {
        text += operand(std::strtod(("0x" + hex.substr(i, 2)).c_str(), nullptr) / 255.0);
    }
    return text;
}

/// Outline of a glyph as PDF path operators; quadratic curves become cubic.
std::string outline(std::string_view path) {
    std::string const text(path);
    std::string out;
    Point at;
    char command = 'M';
    char const* place = text.c_str();
    auto const next = [&place] {
        char* end = nullptr;
        double const value = std::strtod(place, &end);
        place = end;
        return value;
    };
    while (*place != '\0') {
        if (*place == ' ' || *place == ',') {
            ++place;
            continue;
        }
        if (*place >= 'A' && *place <= 'Z') {
            command = *place++;
            if (command == 'Z') {
                out += "h\n";
            }
            continue;
        }
        if (command == 'Q') {
            Point const control{next(), next()};
            Point const end{next(), next()};
            for (Point const& from : {at, end}) {
                out += operand(from.x + 2.0 / 3.0 * (control.x - from.x)) +
                       operand(from.y + 2.0 / 3.0 * (control.y - from.y));
            }
            at = end;
            out += operand(at.x) + operand(at.y) + "c\n";
            continue;
        }
        at = command == 'H'   ? Point{next(), at.y}
             : command == 'V' ? Point{at.x, next()}
                              : Point{next(), next()};
        out += operand(at.x) + operand(at.y) + (command == 'M' ? "m\n" : "l\n");
        command = command == 'M' ? 'L' : command;
    }
    return out;
}

/// PDF string "(text)"; non-ASCII characters become question marks.
std::string pdf_string(std::string const& text) {
    std::string out = "(";
    for (char const letter : text) {
        out += letter == '(' || letter == ')' || letter == '\\' ? "\\" : "";
        out += letter >= ' ' && letter <= '~' ? letter : '?';
    }
    return out + ")";
}

std::string stream(std::string const& dictionary, std::string const& text) {
    return "<< " + dictionary + "/Length " + std::to_string(text.size()) + " >>\nstream\n" + text +
           "endstream";
}

/// PDF objects and their cross-reference table.
class PdfFile {
  public:
    /// \return number of the object
    std::size_t add(std::string text) {
        objects_.push_back(std::move(text));
        return objects_.size();
    }
    void set(std::size_t object, std::string text) { objects_[object - 1] = std::move(text); }

    [[nodiscard]] std::string text(std::size_t root, std::size_t info) const {
        std::string file = "%PDF-1.4\n%\xe2\xe3\xcf\xd3\n";
        std::string table;
        for (std::size_t i = 0; i < objects_.size(); ++i) {
            table += formatted("%010zu 00000 n \n", file.size());
            file += std::to_string(i + 1) + " 0 obj\n" + objects_[i] + "\nendobj\n";
        }
        std::size_t const begin = file.size();
        std::string const count = std::to_string(objects_.size() + 1);
        return file + "xref\n0 " + count + "\n0000000000 65535 f \n" + table +
               "trailer\n<< /Size " + count + " /Root " + std::to_string(root) + " 0 R /Info " +
               std::to_string(info) + " 0 R >>\nstartxref\n" + std::to_string(begin) + "\n%%EOF\n";
    }

  private:
    std::vector<std::string> objects_;
};

/// Writes the content of a page; glyphs are objects shared by all pages.
class PageWriter {
  public:
    explicit PageWriter(std::map<unsigned, Glyph const*>& used) : used_(used) {}

    std::string write(Drawing const& drawing) {
        content_ = "1 0 0 -1 0 " + operand(drawing.height) + "cm\n";
        for (auto const& part : drawing.parts) {
            std::visit([this](auto const& shown) { add(shown); }, part);
        }
        return content_;
    }

  private:
    void add(Shape const& shape) {
        content_ += "q\n";
        if (!shape.fill.empty()) {
            content_ += channels(shape.fill) + "rg\n";
        }
        if (!shape.stroke.empty()) {
            content_ += channels(shape.stroke) + "RG " + operand(shape.width) + "w\n";
            content_ += shape.dash > 0.0 ? "[" + operand(shape.dash) + "] 0 d\n" : "";
        }
        for (std::size_t i = 0; i < shape.points.size(); ++i) {
            content_ +=
                operand(shape.points[i].x) + operand(shape.points[i].y) + (i == 0 ? "m\n" : "l\n");
        }
        content_ += shape.closed ? "h\n" : "";
        content_ += shape.fill.empty() ? "S\n" : shape.stroke.empty() ? "f\n" : "B\n";
        if (shape.hatch > 0) {
            content_ += channels(hatch_colour(shape)) + "RG " + operand(hatch_width) + "w\n";
            auto const lines = hatch_lines(shape);
            for (std::size_t i = 0; i < lines.size(); ++i) {
                content_ +=
                    operand(lines[i].x) + operand(lines[i].y) + (i % 2 == 0 ? "m\n" : "l\n");
            }
            content_ += "S\n";
        }
        content_ += "Q\n";
    }

    void add(Letters const& letters) {
        double const scale = letters.size / glyph_units;
        double x = anchor_shift(letters);
        content_ += "q\n" + channels(letters.fill) + "rg " + channels(letters.fill) + "RG " +
                    operand(letters.bold ? bold_stroke : 0.0) + "w\n1 0 0 1 " +
                    operand(letters.at.x) + operand(letters.at.y) + "cm\n" +
                    (letters.upright ? "0 -1 1 0 0 0 cm\n" : "");
        for (Glyph const* glyph : glyphs_of(letters.text)) {
            if (!glyph->path.empty()) {
                used_[glyph->code] = glyph;
                std::string const name = formatted("%x", glyph->code);
                std::string const size = printed("%.6f ", scale);
                content_ += "q " + size + "0 0 -" + size + operand(x) + "0 cm /g" + name +
                            (letters.bold ? "b" : "") + " Do Q\n";
            }
            x += glyph->advance * scale;
        }
        content_ += "Q\n";
    }

    std::string content_;
    std::map<unsigned, Glyph const*>& used_;
};

} // namespace

std::string pdf_of(std::vector<Drawing> const& pages) {
    PdfFile file;
    std::size_t const root = file.add("");
    std::size_t const tree = file.add("");
    std::size_t const resources = file.add("");
    std::size_t const info =
        file.add("<< /Title " + pdf_string(pages.front().title) + " /Creator (keyswap) >>");
    std::map<unsigned, Glyph const*> used;
    std::string kids;
    for (Drawing const& drawing : pages) {
        std::size_t const content = file.add(stream("", PageWriter(used).write(drawing)));
        kids += std::to_string(file.add("<< /Type /Page /Parent " + std::to_string(tree) +
                                        " 0 R /MediaBox [0 0 " + operand(drawing.width) +
                                        operand(drawing.height) + "] /Contents " +
                                        std::to_string(content) + " 0 R /Resources " +
                                        std::to_string(resources) + " 0 R >>")) +
                " 0 R ";
    }
    std::string glyphs;
    for (auto const& [code, glyph] : used) {
        std::string const path = outline(glyph->path);
        for (auto const& [ending, paint] : {std::pair{"", "f\n"}, std::pair{"b", "B\n"}}) {
            std::size_t const object = file.add(stream(
                "/Type /XObject /Subtype /Form /BBox [-1024 -1024 4096 4096] ", path + paint));
            glyphs +=
                "/g" + formatted("%x", code) + ending + " " + std::to_string(object) + " 0 R ";
        }
    }
    file.set(resources, "<< /XObject << " + glyphs + ">> >>");
    file.set(tree,
             "<< /Type /Pages /Count " + std::to_string(pages.size()) + " /Kids [" + kids + "] >>");
    file.set(root, "<< /Type /Catalog /Pages " + std::to_string(tree) + " 0 R >>");
    return file.text(root, info);
}

} // namespace keyswap::tools
