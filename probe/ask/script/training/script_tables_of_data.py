"""Tables and arrays that are prepared wrongly: scales, encodings, splits, images and scores; for the reader of scripts."""

LEARNS_FROM_DATA = re.compile(LEARNS_A_SCALE.pattern[:-1] + r"|sklearn\.(preprocessing\.(\w+\.)?(LabelEncoder|OneHotEncoder|OrdinalEncoder|LabelBinarizer|"
                              r"MultiLabelBinarizer)|feature_extraction\.text\.(CountVectorizer|TfidfVectorizer))$")
CHOOSES_BY_LABELS = re.compile(r"sklearn\.feature_selection\.(\w+\.)?(SelectKBest|SelectPercentile|SelectFromModel|RFE|RFECV|SelectFdr|SelectFpr|SelectFwe)$|"
                               r"sklearn\.preprocessing\.(\w+\.)?TargetEncoder$")
MAKES_ROWS = re.compile(r"imblearn\.(over_sampling|combine)\.(\w+\.)*\w+$")
VALIDATES_CROSSWISE = re.compile(r"sklearn\.model_selection\.(\w+\.)?cross_(val_score|validate|val_predict)$")
MAKES_FOLDS = re.compile(r"sklearn\.model_selection\.(\w+\.)?\w*(KFold|ShuffleSplit)$")
OF_THE_TEST = re.compile(r"(?i)(^|_|\b)[xy]?_?(test|te|valid|validation|val|dev|holdout|tst)(_|\d|$|\b)|^(xte|xval|xtest|testx|test_?df|df_?test)$")
OF_THE_TRAINING = re.compile(r"(?i)train|(^|_|\b)[xy]?_?tr(_|\b|$)|^(xtr|ytr)$")
CLASSES_ARE_JUDGED = re.compile(r"sklearn\.metrics\.(\w+\.)?(accuracy_score|f1_score|precision_score|recall_score|classification_report|confusion_matrix|"
                                r"balanced_accuracy_score|cohen_kappa_score|matthews_corrcoef)$")
SCORES_ARE_JUDGED = re.compile(r"sklearn\.metrics\.(\w+\.)?(roc_auc_score|average_precision_score)$")
CLASSIFIERS = re.compile(r"(xgboost|lightgbm|catboost|cuml|sklearn)\.(\w+\.)*(\w+Classifier|LogisticRegression|GaussianNB|MultinomialNB|SVC)$")
JOINS_ARRAYS = ("numpy.concatenate", "numpy.vstack", "numpy.hstack", "torch.cat", "torch.vstack", "numpy.array", "numpy.asarray", "torch.tensor")
KEEPS_VALUES = ("long int float cpu numpy detach item tolist squeeze ravel flatten astype reshape view copy to type").split()
SHUFFLES_IN_PLACE = ("numpy.random.shuffle", "random.shuffle")
NAMES_LABELS = re.compile(r"(?i)label|target|class|^ys?$|^y_|_ys?$|mask|annot")
IS_A_HEIGHT = re.compile(r"(?i)^(\w+_)?(h|height|rows)$|^(img|image|target|new|input|in)h$")
IS_A_WIDTH = re.compile(r"(?i)^(\w+_)?(w|width|cols)$|^(img|image|target|new|input|in)w$")
WITH_LEARNED_WEIGHTS = re.compile(r"torchvision\.models\.(\w+\.)*[a-z]\w+$|timm\.create_model$|(tensorflow\.)?keras\.applications\.(\w+\.)*[A-Z]\w+$")
KEEPS_GROUPS = r"Group(Shuffle|K|ShuffleSplit|Fold)|StratifiedGroup|groups *=|groupby|isin\(|\.unique\(|drop_duplicates|LeaveOneGroup"
OF_A_PERSON = r"(patient|subject|person|speaker|user|participant)(_?id)?s?|case_id"


class TablesOfData(Learning):
    def look(self, nodes):
        if self.reader.other_form:
            return
        self.nodes, self.parents, self.calls = nodes, self.tracing.index.parents, self.tracing.index.calls
        roots = {name.split(".")[0] for name in self.tracing.names.values()}
        if "sklearn" in roots:
            self.parts_in_another_order()
        if "pandas" in roots:
            self.target_among_the_features()
        if "sklearn" in roots:
            self.learned_from_the_test()
            self.chosen_before_the_split()
            self.classes_across_samples()
            self.scores_that_are_classes()
            if self.says(r"train_test_split"):
                self.means_of_labels_before_the_split()
                self.windows_at_random()
                self.persons_in_both()
        if "pandas" in roots:
            self.columns_of_each_part()
        if "cv2" in roots:
            self.sides_of_an_image()
            self.blue_for_red()
        if self.says(r"shuffle\("):
            self.shuffled_apart()
        if self.says(r"imread|uint8|Image\.open|load_data"):
            self.small_numbers_that_wrap()

    # ---- what is learned from data

    def words_of(self, node):
        """The names, attributes and keys that an expression is written with."""
        return [one.id if isinstance(one, ast.Name) else one.attr if isinstance(one, ast.Attribute) else one.value for one in ast.walk(node) if isinstance(
            one, (ast.Name, ast.Attribute)) or isinstance(one, ast.Constant) and isinstance(one.value, str)]

    def is_of(self, node, form, other):
        words = self.words_of(node)
        return any(form.search(word) for word in words) and not any(other.search(word) for word in words)

    def learned_from_the_test(self):
        """train = scaler.fit_transform(train); test = scaler.fit_transform(test)"""
        fits = []
        for call in self.calls:
            made = self.origins.of(call.func.value) if isinstance(call.func, ast.Attribute) and call.func.attr in ("fit", "fit_transform") and call.args else []
            if len(made) == 1 and isinstance(made[0], ast.Call) and LEARNS_FROM_DATA.match(self.full(made[0].func)):
                fits.append((call, self.full(made[0].func)))
        for call, name in fits:
            if call.func.attr != "fit_transform" or not self.is_of(call.args[0], OF_THE_TEST, OF_THE_TRAINING):
                continue
            first = next((other for other, kind in fits if kind == name and self.is_of(other.args[0], OF_THE_TRAINING, OF_THE_TEST) and line_of(other) < line_of(
                call) and self.origins.scope(other) is self.origins.scope(call)), None)
            if first is not None:
                self.mistake(call, "what is learned from the test again", name.rsplit(".", 1)[-1], self.written(first), other=first)

    def sources_of(self, node, deepest=3):
        """The calls that a name's values come from, also as one of several results and out of np.array() and the like."""
        node = node.value if isinstance(node, ast.Starred) else node
        if isinstance(node, ast.Call) or deepest == 0:
            return [node] if isinstance(node, ast.Call) else []
        if isinstance(node, ast.Subscript):
            return self.sources_of(node.value, deepest)
        found = []
        for one in self.origins.statements_of(node) if isinstance(node, (ast.Name, ast.Attribute)) else ():
            if isinstance(one, ast.Assign):
                found += self.sources_of(one.value, deepest - 1)
        return found

    def chosen_before_the_split(self):
        """x = SelectKBest(k=20).fit_transform(x, y); cross_val_score(model, x, y), and x, y = SMOTE().fit_resample(x, y) before the split"""
        for call in self.calls:
            crosswise = VALIDATES_CROSSWISE.match(self.full(call.func))
            if not crosswise and not SPLITS.match(self.full(call.func)) and not (is_call(call, "split") and self.made_by_form(call.func.value, MAKES_FOLDS)):
                continue
            for given in call.args[1 if crosswise else 0:]:
                for made in self.sources_of(given):
                    by = self.origins.of(made.func.value) if isinstance(made.func, ast.Attribute) and made.func.attr in ("fit_transform", "fit_resample") else []
                    if len(by) != 1 or not isinstance(by[0], ast.Call):
                        continue
                    name, form = self.full(by[0].func), MAKES_ROWS if made.func.attr == "fit_resample" else CHOOSES_BY_LABELS
                    if not form.match(name) or len(made.args) < 2 or OF_THE_TRAINING.search(self.written(made.args[0])) or self.is_reported(made):
                        continue
                    what = "rows that are made before the split" if form is MAKES_ROWS else "a choice by labels before the split"
                    self.mistake(made, what, name.rsplit(".", 1)[-1], self.written(call.func), other=call)

    def means_of_labels_before_the_split(self):
        """df["c_mean"] = df.groupby("c")["click"].transform("mean"), of the label, and train_test_split(df) further down"""
        if self.says(r"KFold|out.of.fold|\boof\b|expanding\(|shift\(|cumsum|leave.one.out|TargetEncoder"):
            return
        for call in self.calls:
            mean = is_call(call, "transform") and call.args and self.said(call.args[0]) == "mean" or is_call(call, "mean") and not call.args
            column = call.func.value if mean else None
            group = column.value if isinstance(column, ast.Subscript) and is_call(column.value, "groupby") else None
            label = self.said(column.slice) if group is not None else None
            base = group.func.value if group is not None else None
            if not isinstance(label, str) or not isinstance(base, ast.Name) or not self.is_label(label):
                continue
            scope, at, given = self.origins.scope(call), call, base.id
            if isinstance(scope, ast.FunctionDef):
                # The function gets the table before it is split.
                place = next((i for i, one in enumerate(scope.args.args) if one.arg == base.id), None)
                calls = [one for one in self.calls if self.written(one.func) == scope.name and place is not None and len(one.args) > place]
                if len(calls) == 1:
                    at = calls[0]
                    given = self.written(at.args[place])
            split = next((one for one in self.calls if SPLITS.match(self.full(one.func)) and line_of(one) > line_of(at) and self.origins.scope(one) is
                          self.origins.scope(at)), None)
            if split is None or OF_THE_TRAINING.search(given):
                continue
            of = {name.id for one in split.args for name in self.tables_of(one)}
            if given in of:
                self.mistake(call, "a mean of labels before the split", label, self.written(split.func), other=split)

    def tables_of(self, node, deepest=2):
        """The names that a table is written with, also of the one that it is a part of."""
        names = [one for one in ast.walk(node) if isinstance(one, ast.Name)]
        if deepest:
            for name in list(names):
                for one in self.origins.statements_of(name):
                    if isinstance(one, ast.Assign):
                        names += self.tables_of(one.value, deepest - 1)
        return names

    def is_label(self, column):
        """Whether a file learns a column: y = df["click"], stratify=df["click"] or df.drop(columns=["click"])"""
        named = r"\[['\"]%s['\"]\]" % re.escape(column)
        return self.says(r"(?m)(stratify|^\s*y\w*|labels?|targets?) *= *\w+" + named) or self.says(r"(fit|Dataset|DMatrix|Pool)\([^()]*, *(label *= *)?\w+" + named)

    # ---- splits

    def windows_at_random(self):
        """x = sliding_window_view(series, 72); train_test_split(x, y), which shuffles"""
        for call in self.calls:
            if not SPLITS.match(self.full(call.func)) or self.said(self.word(call, "shuffle")) is not None or not call.args or any(
                    k.arg is None for k in call.keywords):
                continue
            for made in self.sources_of(call.args[0]):
                if self.full(made.func) in ("numpy.lib.stride_tricks.sliding_window_view", ):
                    self.mistake(call, "windows that are split at random", self.written(made), other=made)
                    break
                of = next((one for one in self.origins.functions_of(made.func) if isinstance(one, ast.FunctionDef)), None)
                window = self.windows_in(of) if of is not None and not OF_THE_TRAINING.search(self.written(made)) else None
                if window is not None:
                    self.mistake(call, "windows that are split at random", self.written(window), other=window)
                    break

    def windows_in(self, of):
        """for i in range(len(a) - n): x.append(a[i:i + n]), in a function that makes them of a series"""
        for loop in (one for one in ast.walk(of) if isinstance(one, ast.For)):
            if not is_range(loop.iter) or len(loop.iter.args) > 2 or not isinstance(loop.target, ast.Name) or re.search(r"(?i)text|token|char", self.written(loop.iter)):
                continue
            for call in calls_in(loop.body):
                part = call.args[0] if is_call(call, "append") and len(call.args) == 1 else None
                while is_call(part, "to_numpy") or isinstance(part, ast.Attribute) and part.attr == "values":
                    part = part.func.value if isinstance(part, ast.Call) else part.value
                cut = part.slice if isinstance(part, ast.Subscript) else None
                cut = cut.elts[0] if isinstance(cut, ast.Tuple) and cut.elts else cut
                if isinstance(cut, ast.Slice) and isinstance(cut.lower, ast.Name) and cut.lower.id == loop.target.id and isinstance(cut.upper, ast.BinOp) and isinstance(
                        cut.upper.op, ast.Add) and loop.target.id in (self.written(cut.upper.left), self.written(cut.upper.right)):
                    return call
        return None

    def persons_in_both(self):
        """df["patient_id"].nunique() of many rows, and train_test_split(df), which parts rows"""
        if self.says(KEEPS_GROUPS):
            return
        column = re.search(r"(\w+)\[['\"](%s)['\"]\]\.(nunique|value_counts)\(" % OF_A_PERSON, self.reader.text)
        for call in self.calls if column is not None else ():
            if SPLITS.match(self.full(call.func)) and call.args and self.written(call.args[0]) == column.group(1):
                self.mistake(call, "persons in both parts of a split", column.group(2))

    # ---- scores

    def classes_across_samples(self):
        """pred = np.argmax(probs, axis=0); f1_score(labels, pred), of a row for each sample"""
        for call in self.calls:
            if not CLASSES_ARE_JUDGED.match(self.full(call.func)):
                continue
            for given in list(call.args[:2]) + [k.value for k in call.keywords if k.arg in ("y_true", "y_pred")]:
                chosen = self.value_of(given)
                if not isinstance(chosen, ast.Call):
                    continue
                by_function = self.full(chosen.func) in ("numpy.argmax", "torch.argmax", "tensorflow.argmax")
                if not by_function and not is_call(chosen, "argmax"):
                    continue
                axis = self.given(chosen, 1 if by_function else 0, "axis", "dim")
                rows = chosen.args[0] if by_function and chosen.args else chosen.func.value if isinstance(chosen.func, ast.Attribute) else None
                if rows is None or axis is None or self.said(axis) != 0 or type(self.said(axis)) is not int or not self.has_a_row_each(rows):
                    continue
                self.mistake(chosen, "classes that are chosen across samples", self.written(axis), self.written(call.func), other=call)

    def has_a_row_each(self, node):
        """What predict_proba(), Keras's predict() or np.concatenate(batches) gives: a row for each sample."""
        values = self.origins.of(node)
        return len(values) > 0 and all(isinstance(one, ast.Call) and (is_call(one, "predict_proba") or is_call(one, "softmax") and self.said(self.given(
            one, 0, "dim"), 0) in (1, -1) or self.full(one.func) in ("numpy.concatenate", "torch.cat", "numpy.vstack") and len(one.args) == 1 and not one.keywords or is_call(
                one, "predict") and self.says(r"keras")) for one in values)

    def scores_that_are_classes(self):
        """roc_auc_score(y, (p > 0.5).astype(int)): it ranks scores, and classes have no order among themselves"""
        for call in self.calls:
            given = self.given(call, 1, "y_score") if SCORES_ARE_JUDGED.match(self.full(call.func)) else None
            if given is not None and self.is_class(given, 6):
                self.mistake(call, "a ranking of classes", self.written(given))

    def is_class(self, node, deepest):
        """Whether a value is a class alone: what a threshold, argmax() or a classifier's predict() gives, also gathered in a list."""
        if deepest == 0 or node is None:
            return False
        if isinstance(node, ast.Compare):
            return len(node.ops) == 1 and isinstance(node.ops[0], (ast.Gt, ast.GtE)) and type(self.said(node.comparators[0])) in (int, float)
        if isinstance(node, ast.Call):
            name = self.full(node.func)
            if name in JOINS_ARRAYS and node.args:
                return self.holds_classes(node.args[0], deepest - 1)
            if name == "numpy.where" and len(node.args) == 3:
                return self.is_class(node.args[0], deepest - 1) and {self.said(one) for one in node.args[1:]} == {0, 1}
            if name in ("numpy.argmax", "torch.argmax", "numpy.round", "torch.round", "numpy.rint"):
                return True
            if is_call(node, "predict"):
                return self.made_by(node.func.value, CLASSIFIERS, surely=True) is not None
            if isinstance(node.func, ast.Attribute) and not name:
                return node.func.attr in ("argmax", "round") or node.func.attr in KEEPS_VALUES and self.is_class(node.func.value, deepest - 1)
            return False
        if isinstance(node, ast.Name):
            values = self.origins.of(node)
            if any(isinstance(one, ast.List) for one in values):
                return self.holds_classes(node, deepest - 1)
            return bool(values) and all(self.is_class(one, deepest - 1) for one in values if one is not node)
        return False

    def holds_classes(self, node, deepest):
        """A list to which nothing but classes is appended."""
        if not isinstance(node, ast.Name):
            return False
        scope = self.origins.scope(node)
        added = [one for one in self.calls if isinstance(one.func, ast.Attribute) and one.func.attr in ("append", "extend") and self.written(
            one.func.value) == node.id and self.origins.scope(one) is scope and one.args]
        return bool(added) and all(self.is_class(one.args[0], deepest) for one in added)

    # ---- tables

    def columns_of_each_part(self):
        """train = pd.get_dummies(train); test = pd.get_dummies(test)"""
        if self.says(r"reindex|align\(|Categor|category|\.columns\b *[=.-]|\.columns\)|columns *= *\w*train|fillna\(0|concat\(\[ *\w*train\w*, *\w*test|set\(|intersection"):
            return
        made = [one for one in self.calls if self.full(one.func) == "pandas.get_dummies" and one.args]
        first = next((one for one in made if self.is_of(one.args[0], OF_THE_TRAINING, OF_THE_TEST)), None)
        for call in made:
            if first is not None and self.is_of(call.args[0], OF_THE_TEST, OF_THE_TRAINING) and self.origins.scope(call) is self.origins.scope(first):
                self.mistake(call, "columns of each part of its own", self.written(first), other=first)
                continue
            of = self.origins.scope(call)
            if not isinstance(of, ast.FunctionDef) or not any(one.arg in [name.id for name in ast.walk(call.args[0]) if isinstance(name, ast.Name)] for one in of.args.args):
                continue
            calls = [one for one in self.calls if self.written(one.func) == of.name and one.args]
            parts = [next((one for one in calls if self.is_of(one.args[0], *forms)), None) for forms in (
                (OF_THE_TRAINING, OF_THE_TEST), (OF_THE_TEST, OF_THE_TRAINING))]
            if None not in parts:
                self.mistake(call, "columns of each part of its own", self.written(parts[0]), other=parts[1])

    # ---- images

    def side(self, node):
        """The last name of a size: height, for self.height or args.height."""
        return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else str(self.said(
            node.slice)) if isinstance(node, ast.Subscript) and isinstance(self.said(node.slice), str) else ""

    def sides_of_an_image(self):
        """cv2.resize(image, (height, width)), which takes the width first"""
        for call in self.calls:
            size = self.given(call, 1, "dsize") if self.full(call.func) == "cv2.resize" else None
            if size is None or self.says(r"(?i)rotate|rot90|transpose\(\(?1, *0"):
                continue
            of = self.value_of(size)
            if isinstance(of, ast.Subscript) and self.written(of.value).endswith(".shape") and isinstance(of.slice, ast.Slice) and of.slice.lower is None and self.said(
                    of.slice.upper) == 2 and of.slice.step is None:
                self.mistake(call, "an image whose sides are swapped", self.written(size))
                continue
            if not isinstance(of, (ast.Tuple, ast.List)) or len(of.elts) != 2:
                continue
            first, second = of.elts
            if not IS_A_HEIGHT.match(self.side(first)) or not IS_A_WIDTH.match(self.side(second)):
                continue
            values = [self.said(one) for one in of.elts]
            if values[0] is not None and values[0] == values[1] or self.is_unpacked_swapped(first):
                continue
            self.mistake(call, "an image whose sides are swapped", "(%s, %s)" % (self.written(first), self.written(second)))

    def is_unpacked_swapped(self, height):
        """w, h = image.shape[:2]: what is called the height may be the width, whose order another place turned around."""
        for one in self.origins.statements_of(height) if isinstance(height, ast.Name) else ():
            target = one.targets[0] if isinstance(one, ast.Assign) else None
            if isinstance(target, ast.Tuple) and target.elts and self.written(target.elts[0]) != height.id or isinstance(one, ast.FunctionDef):
                return True
        return False

    def blue_for_red(self):
        """cv2.imread(path), and a model that has learned from images whose red comes first"""
        if self.says(r"COLOR_\w+2|:: *-1|\[ *2, *1, *0 *\]|(?i:bgr|swap|insightface|ultralytics|detectron|mmcv|mmdet|paddle|yolo|insight)|IMREAD_(GRAYSCALE|UNCHANGED)|flip\(|cv2\.split|"
                     r"channel_order|imshow\(|imwrite\("):
            return
        model = next((one for one in self.calls if WITH_LEARNED_WEIGHTS.match(self.full(one.func)) and self.has_weights(one)), None)
        for call in self.calls if model is not None else ():
            if self.full(call.func) == "cv2.imread" and len(call.args) == 1 and not call.keywords:
                of = self.origins.scope(call)
                text = self.reader.written_whole(of) if isinstance(of, (ast.FunctionDef, ast.ClassDef)) else ""
                if re.search(r"from_numpy|torch\.(as_)?tensor|transform|preprocess|\bnp\.(array|stack|float32)|normalize", text) and not re.search(r"mask|depth|label", text.split("imread")[1][:20]):
                    self.mistake(call, "an image whose blue comes first", self.written(model.func), other=model)

    def has_weights(self, call):
        """Whether a model is made with the weights that it comes with."""
        said = self.word(call, "weights", "pretrained")
        if "keras" in self.full(call.func):
            return said is None or self.said(said) == "imagenet"
        return said is not None and self.said(said, "named") not in (None, False)

    # ---- arrays

    def shuffled_apart(self):
        """np.random.shuffle(images); np.random.shuffle(labels)"""
        if self.says(r"(?i)permutation.test|unpaired|cycle.?gan|null|randomi[sz]ed_labels"):
            return
        for call in self.calls:
            statement = self.parents.get(id(call))
            shuffles = self.full(call.func) in SHUFFLES_IN_PLACE or is_call(call, "shuffle") and self.made_by(
                call.func.value, "numpy.random.default_rng", "numpy.random.RandomState", "random.Random") is not None
            if not shuffles or len(call.args) != 1 or not isinstance(statement, ast.Expr):
                continue
            block = self.origins.block_of(statement)
            at = next((i for i, one in enumerate(block) if one is statement), 0)
            before = block[at - 1] if at else None
            other = before.value if isinstance(before, ast.Expr) and isinstance(before.value, ast.Call) else None
            if other is None or self.written(other.func) != self.written(call.func) or len(other.args) != 1:
                continue
            names = [self.written(one.args[0]) for one in (other, call)]
            labels = [NAMES_LABELS.search(name.rsplit(".", 1)[-1]) is not None for name in names]
            if labels[0] != labels[1] and all(OF_THE_TEST.search(name) is None for name in names if not any(OF_THE_TEST.search(one) for one in names)):
                self.mistake(call, "labels that are shuffled apart", names[0], names[1], other=other)

    def small_numbers_that_wrap(self):
        """(image - 128).astype(np.float32), of an image in uint8"""
        for one in self.nodes:
            if not isinstance(one, ast.BinOp) or not isinstance(one.op, ast.Sub) or not isinstance(one.left, (ast.Name, ast.Call)):
                continue
            by = self.value_of(one.right)
            small = isinstance(by, ast.Call) and self.full(by.func) == "numpy.uint8"
            cast = self.parents.get(id(one))
            later = isinstance(cast, ast.Attribute) and cast.attr == "astype" and isinstance(self.parents.get(id(cast)), ast.Call)
            number = type(self.said(one.right)) is int and self.said(one.right) > 0
            if small and later and re.search(r"float", self.written(self.parents[id(cast)])) or (number or self.is_image(one.right)) and self.is_image(one.left):
                self.mistake(one, "small numbers that wrap around", self.written(one.left))

    def is_image(self, node):
        """Whether an array surely holds uint8, as cv2.imread(), keras's load_data() and np.array(Image.open()) give it."""
        if not isinstance(node, (ast.Name, ast.Call)):
            return False
        values = self.sources_of(node) if isinstance(node, ast.Name) else [node]
        of = self.origins.of(node)
        if len(values) != 1 or len(of) != 1:
            return False
        name = self.full(values[0].func)
        if name in ("numpy.array", "numpy.asarray") and len(values[0].args) == 1 and not values[0].keywords:
            return self.made_by(values[0].args[0], "PIL.Image.open", surely=True) is not None
        return name == "cv2.imread" and len(values[0].args) == 1 or name in ("numpy.uint8", ) or re.match(
            r"(tensorflow\.)?keras\.datasets\.(mnist|fashion_mnist|cifar10|cifar100)\.load_data$", name) is not None

    def parts_in_another_order(self):
        """x_train, y_train, x_test, y_test = train_test_split(x, y), which gives both parts of x first"""
        for one in self.nodes:
            targets = one.targets[0].elts if isinstance(one, ast.Assign) and len(one.targets) == 1 and isinstance(one.targets[0], ast.Tuple) else []
            call = one.value if len(targets) == 4 and isinstance(one.value, ast.Call) else None
            if call is None or not self.full(call.func).endswith("model_selection.train_test_split") or len(call.args) != 2:
                continue
            names = [self.written(each).rsplit(".", 1)[-1].lower() for each in targets]
            if re.match(r"y\w*tr", names[1]) and re.match(r"x\w*(te|va)", names[2]) and re.match(r"x", names[0]) and re.match(r"y", names[3]):
                self.mistake(one, "parts that are taken for others", self.written(targets[1]), self.written(call.args[0]), doubted=False)

    def target_among_the_features(self):
        """y = table["price"]; x = table.drop(columns=["id"]): the price is still in x."""
        for one in self.nodes:
            dropped = one.value if isinstance(one, ast.Assign) and len(one.targets) == 1 and is_call(one.value, "drop") and isinstance(one.value.func.value, ast.Name) else None
            if dropped is None or not isinstance(one.targets[0], ast.Name) or not re.match(r"(?i)x$|x_|features?$|inputs?$", one.targets[0].id):
                continue
            given = self.word(dropped, "columns") if self.word(dropped, "columns") is not None else dropped.args[0] if dropped.args and (self.said(self.given(dropped, 1, "axis")) in (
                1, "columns")) else None
            names = [self.said(each) for each in given.elts] if isinstance(given, (ast.List, ast.Tuple)) else [self.said(given)] if given is not None else [None]
            table, scope = dropped.func.value.id, self.origins.scope(one)
            targets = [self.column_of(each.value) for each in self.nodes if isinstance(each, ast.Assign) and len(each.targets) == 1 and isinstance(
                each.targets[0], ast.Name) and re.match(r"(?i)y$|y_|targets?$|labels?$", each.targets[0].id) and self.origins.scope(each) is scope]
            target = next((each for each in targets if isinstance(each, ast.Subscript) and getattr(each.value, "id", "") == table), None)
            key = self.origins.key(target) if target is not None else None
            if isinstance(key, str) and all(isinstance(name, str) for name in names) and key not in names and not self.says(
                    r"(pop|drop)\([^\n]*['\"]%s['\"]|del [^\n]*['\"]%s['\"]|%s *= *%s(\[|\.select_dtypes)" % (
                        re.escape(key), re.escape(key), one.targets[0].id, one.targets[0].id)):
                self.mistake(one, "a target among its features", key, one.targets[0].id, other=target)

    @staticmethod
    def column_of(node):
        """table["price"], of table["price"].astype(int).values"""
        while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) or isinstance(node, ast.Attribute):
            node = node.func.value if isinstance(node, ast.Call) else node.value
        return node
