//! The line of a step in the words of people.

use std::borrow::Cow;

use crate::Language;

/// The line of a step ([`StepRecord::action`](qa_core::StepRecord::action)) in a language. It is
/// stored in English; here its verb and the role of the element are put into other words. What the
/// app calls things stays as it is.
#[must_use]
pub fn action_text(language: Language, action: &str) -> Cow<'_, str> {
    match language {
        Language::EnUs => Cow::Borrowed(action),
        Language::ZhCn => chinese(action).map_or(Cow::Borrowed(action), Cow::Owned),
    }
}

fn chinese(action: &str) -> Option<String> {
    if action == "back" {
        return Some("返回".into());
    }
    let (verb, object) = action.split_once(' ')?;
    Some(match verb {
        "launch" => format!("启动 {object}"),
        "navigate" => format!("打开 {}", object.strip_prefix("to ")?),
        "tap" => format!("点击{}", element(object)),
        "press" => {
            let (key, object) = object.split_once(" in ")?;
            format!("在{}中按 {key}", element(object))
        }
        "fill" => {
            // The value is quoted, and quotes in it are escaped.
            let (object, value) = object.rsplit_once(" with \"")?;
            format!("在{}中输入 \"{value}", element(object))
        }
        "select" => {
            let (option, object) = object.split_once("\" in ")?;
            format!("在{}中选择 {option}\"", element(object))
        }
        _ => return None,
    })
}

/// `button "Add"` with its role in Chinese, and a space where Chinese meets other text.
fn element(object: &str) -> String {
    let (role, name) = object.split_once(' ').unwrap_or((object, ""));
    match role_text(role) {
        Some(word) if name.is_empty() => word.to_owned(),
        Some(word) => format!("{word} {name}"),
        None => format!(" {object}"),
    }
}

fn role_text(role: &str) -> Option<&'static str> {
    Some(match role {
        "button" => "按钮",
        "cell" | "gridcell" => "单元格",
        "checkbox" => "复选框",
        "combobox" => "下拉框",
        "dialog" => "对话框",
        "heading" => "标题",
        "image" | "img" => "图片",
        "link" => "链接",
        "listbox" => "列表框",
        "listitem" => "列表项",
        "menuitem" => "菜单项",
        "option" => "选项",
        "radio" => "单选框",
        "searchbox" => "搜索框",
        "slider" => "滑块",
        "spinbutton" => "数字框",
        "switch" => "开关",
        "tab" => "标签页",
        "textbox" => "文本框",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    // EXP-181
    #[test]
    fn verbs_and_roles_are_translated_and_the_app_is_not() {
        for (en, zh) in [
            ("back", "返回"),
            ("launch http://127.0.0.1:80/", "启动 http://127.0.0.1:80/"),
            ("navigate to /a to b", "打开 /a to b"),
            ("tap button \"Add to cart\"", "点击按钮 \"Add to cart\""),
            ("tap gizmo \"x\"", "点击 gizmo \"x\""),
            (
                "press Enter in searchbox \"Search in all\"",
                "在搜索框 \"Search in all\"中按 Enter",
            ),
            (
                "fill textbox \"Trade with\" with \"a\\\" with \\\"b\"",
                "在文本框 \"Trade with\"中输入 \"a\\\" with \\\"b\"",
            ),
            (
                "select \"Red in\" in combobox \"Colour in stock\"",
                "在下拉框 \"Colour in stock\"中选择 \"Red in\"",
            ),
            ("tap", "tap"),
            ("wave at the user", "wave at the user"),
        ] {
            assert_eq!(action_text(Language::ZhCn, en), zh);
            assert_eq!(action_text(Language::EnUs, en), en);
        }
    }
}
